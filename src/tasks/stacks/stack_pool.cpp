// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps free stacks, makes more when there are none, and returns memory to the system on request.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/stacks/context.hpp"
#include "tasks/stacks/stack_guard.hpp"
#include "tasks/stacks/stack_sanitizers.hpp"
#include "tasks/stacks/stack_slab.hpp"

namespace weft::tasks::detail {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t least_size_bytes = 16 * kib;        // the deepest frames of weft and libc
constexpr std::size_t most_size_bytes = kib * kib * kib;  // 64 of them fit into any address space

std::size_t round_up(std::size_t size_bytes, std::size_t unit_bytes) {
  return (size_bytes + unit_bytes - 1) / unit_bytes * unit_bytes;
}

std::string in_kib(std::size_t size_bytes) { return std::to_string(size_bytes / kib) + " KiB"; }

stack_options checked(stack_options options) {
  if (options.size_bytes < least_size_bytes || options.size_bytes > most_size_bytes) {
    throw error("weft: a stack of " + std::to_string(options.size_bytes) +
                " bytes is out of range: it has 16 KiB to 1 GiB, and twice the head room or more");
  }
  if (options.head_room_bytes > options.size_bytes / 2) {
    throw error("weft: a head room of " + in_kib(options.head_room_bytes) +
                " is more than half of a stack of " + in_kib(options.size_bytes) +
                "; make stacks larger with --weft:stack-size or WEFT_STACK_SIZE");
  }
  if (options.guard_bytes > most_size_bytes) {
    throw error("weft: a stack guard of " + in_kib(options.guard_bytes) + " is more than 1 GiB");
  }
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  options.size_bytes = round_up(options.size_bytes, page_bytes);
  options.guard_bytes = round_up(options.guard_bytes, page_bytes);
  options.guard =
      options.guard_bytes == 0 ? guard_method::none : resolve_guard_method(options.guard);
  return options;
}

}  // namespace

stack_pool::stack_pool(const stack_options& options)
    : options_(checked(options)), float_control_(float_control()) {}

stack_pool::~stack_pool() {
  for (; free_ != nullptr; free_ = free_->next) {
    sanitizers_retire(*free_);
  }
  while (slabs_ != nullptr) {
    const std::unique_ptr<stack_slab> gone(std::exchange(slabs_, slabs_->next));
  }
}

stack* stack_pool::try_acquire() noexcept {
  const std::scoped_lock lock(mutex_);
  stack* taken = free_;
  if (taken != nullptr) {
    free_ = taken->next;
    --num_free_;
  } else {
    errno = 0;
    taken = num_live() < options_.max_stacks ? take_fresh() : nullptr;
    if (taken == nullptr) {
      return nullptr;
    }
  }
  num_live_.store(num_live() + 1, std::memory_order_relaxed);
  high_water_.store(std::max(high_water(), num_live()), std::memory_order_relaxed);
  return taken;
}

void stack_pool::throw_shortage() const {
  const int code = errno;
  if (code == 0) {
    throw error("weft: all " + std::to_string(options_.max_stacks) +
                " stacks that there may be are in use; suspend fewer tasks at a time, or allow "
                "more with --weft:max-stacks or WEFT_MAX_STACKS");
  }
  throw error("weft: no address space for another stack of " + in_kib(options_.size_bytes) +
              " (mmap: " + std::generic_category().message(code) + ") with " +
              std::to_string(num_live()) +
              " stacks in use; suspend fewer tasks at a time, make stacks smaller with "
              "--weft:stack-size or "
              "WEFT_STACK_SIZE, or raise ulimit -v");
}

/// Null: the address space is exhausted.
stack* stack_pool::take_fresh() noexcept {
  if (with_room_ == nullptr && !add_slab()) {
    return nullptr;
  }
  stack_slab& slab = *with_room_;
  stack* const taken = slab.take();
  num_made_.store(num_made() + 1, std::memory_order_relaxed);
  num_unguarded_ += slab.is_guarded(taken->low) ? 0U : 1U;
  if (!slab.has_room()) {
    with_room_ = slab.next_with_room;
  }
  return taken;
}

bool stack_pool::add_slab() noexcept {
  std::unique_ptr<stack_slab> slab = stack_slab::reserve(options_);
  if (slab == nullptr) {
    return false;
  }
  slab->next = slabs_;
  slab->next_with_room = with_room_;
  slabs_ = with_room_ = slab.release();
  return true;
}

void stack_pool::release(stack* unused) noexcept {
  const std::scoped_lock lock(mutex_);
  unused->next = free_;
  free_ = unused;
  ++num_free_;
  num_live_.store(num_live() - 1, std::memory_order_relaxed);
}

void stack_pool::prepare(stack& fresh, void (*entry)(void*) noexcept, void* argument) noexcept {
  sanitizers_prepare(fresh);
  fresh.exceptions = {};
  fresh.saved_sp = prepare_context(
      fresh.high, {.self = &fresh, .entry = entry, .argument = argument}, float_control_);
}

void stack_pool::trim() noexcept {
  for (stack* surplus = cut_surplus(); surplus != nullptr;) {
    stack* const gone = std::exchange(surplus, surplus->next);
    stack_slab& home = *gone->home;
    const std::byte* const low = gone->low;
    stack_slab::discard(gone);

    const std::scoped_lock lock(mutex_);
    num_unguarded_ -= home.is_guarded(low) ? 0U : 1U;
    if (!home.has_room()) {
      home.next_with_room = std::exchange(with_room_, &home);
    }
    home.put_back(low);
  }
}

// Their pages are the coldest, because `free_` is in order of use.
stack* stack_pool::cut_surplus() noexcept {
  const std::scoped_lock lock(mutex_);
  if (num_free_ <= options_.num_kept_free) {
    return nullptr;
  }
  num_free_ = options_.num_kept_free;
  stack** link = &free_;
  for (std::size_t i = 0; i < num_free_; ++i) {
    link = &(*link)->next;
  }
  return std::exchange(*link, nullptr);
}

void stack_pool::for_each_taken(void (*visit)(stack& taken, void* context), void* context) {
  const std::lock_guard guard(mutex_);
  for (stack_slab* slab = slabs_; slab != nullptr; slab = slab->next) {
    slab->for_each(visit, context);
  }
}

std::size_t stack_pool::num_unguarded() const noexcept {
  const std::scoped_lock lock(mutex_);
  return num_unguarded_;
}

void stack_cache::keep_at_most(std::size_t num_kept) noexcept {
  num_kept = std::min(num_kept, capacity_);
  if (num_cached_ <= num_kept) {
    return;
  }
  num_cached_ = num_kept;
  stack** link = &top_;
  for (std::size_t i = 0; i < num_kept; ++i) {
    link = &(*link)->next;
  }
  for (stack* surplus = std::exchange(*link, nullptr); surplus != nullptr;) {
    pool_.release(std::exchange(surplus, surplus->next));
  }
}

}  // namespace weft::tasks::detail
