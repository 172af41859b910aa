// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reserves address space, and makes and discards the stacks in it.
#include "tasks/stacks/stack_slab.hpp"

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>

#include <sys/mman.h>

#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/stacks/stack_guard.hpp"
#include "tasks/stacks/stack_ranges.hpp"
#include "tasks/stacks/stack_sanitizers.hpp"

namespace weft::tasks::detail {
namespace {

constexpr unsigned most_stacks = 64;

// The frequently used part of every stack is its high end. If all high ends had the same offset
// within a page, thousands of stacks would share a few sets of each cache. A suspended task has
// touched about eleven lines. Eleven is coprime to 64, so neighbours do not overlap and all offsets
// occur.
constexpr std::size_t line_bytes = 64;
constexpr std::size_t colour_offset_bytes(unsigned index) noexcept {
  return index * std::size_t{11} % 64 * line_bytes;
}

/// Returns the offset of a stack's control block from the first byte of its slab.
constexpr std::size_t control_block_offset_bytes(unsigned index,
                                                 std::size_t stride_bytes) noexcept {
  return (index + std::size_t{1}) * stride_bytes - colour_offset_bytes(index) - sizeof(stack);
}

constexpr std::uint64_t bit(unsigned index) noexcept { return std::uint64_t{1} << index; }

}  // namespace

std::unique_ptr<stack_slab> stack_slab::reserve(const stack_options& options) noexcept {
  const std::size_t stride_bytes = options.guard_bytes + options.size_bytes;
  for (unsigned num_stacks = most_stacks; num_stacks != 0; num_stacks /= 2) {
    // MAP_NORESERVE: 10^5 stacks must not count as memory that will be used.
    void* const base = mmap(nullptr,
                            num_stacks * stride_bytes,
                            PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK,
                            -1,
                            0);
    if (base != MAP_FAILED) {
      // A huge page would commit two whole stacks at the first touch. Older kernels do not treat
      // MAP_STACK as a request for small pages. A kernel without huge pages refuses the call, which
      // does no harm.
      madvise(base, num_stacks * stride_bytes, MADV_NOHUGEPAGE);
      std::unique_ptr<stack_slab> made(new (std::nothrow) stack_slab(
          options, static_cast<std::byte*>(base), num_stacks, stride_bytes));
      if (made == nullptr) {
        munmap(base, num_stacks * stride_bytes);
        errno = ENOMEM;
      }
      return made;
    }
  }
  return nullptr;
}

stack_slab::stack_slab(const stack_options& options,
                       std::byte* base,
                       unsigned num_stacks,
                       std::size_t stride_bytes)
    : options_(options),
      base_(base),
      num_stacks_(num_stacks),
      stride_bytes_(stride_bytes),
      untouched_(~std::uint64_t{0} >> (most_stacks - num_stacks)),
      range_(register_stacks(base, num_stacks, stride_bytes, options.guard_bytes)) {}

stack_slab::~stack_slab() {
  unregister_stacks(range_);
  forget_guards(num_guarded(), options_.guard);
  munmap(base_, num_stacks_ * stride_bytes_);
}

stack* stack_slab::take() noexcept {
  const auto index = static_cast<unsigned>(std::countr_zero(untouched_));
  untouched_ &= ~bit(index);
  std::byte* const guard = base_ + index * stride_bytes_;
  if ((guarded_ & bit(index)) == 0 && install_guard(guard, options_.guard_bytes, options_.guard)) {
    guarded_ |= bit(index);
  }

  std::byte* const top = control_block(index);
  auto* const made = new (top) stack;
  made->low = guard + options_.guard_bytes;
  made->soft_limit = made->low + options_.head_room_bytes;
  made->high = top;
  made->home = this;
  sanitizers_make(*made);
  return made;
}

std::byte* stack_slab::control_block(unsigned index) const noexcept {
  return base_ + control_block_offset_bytes(index, stride_bytes_);
}

stack* stack_slab::holding(const void* address) noexcept {
  const std::optional<stack_place> place = find_stack(address);
  if (!place) {
    return nullptr;
  }
  const std::uintptr_t block =
      place->base +
      control_block_offset_bytes(static_cast<unsigned>(place->index), place->stride_bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): computed from the range's
  return std::launder(reinterpret_cast<stack*>(block));
}

void stack_slab::for_each(void (*visit)(stack& taken, void* context), void* context) {
  for (unsigned i = 0; i < num_stacks_; ++i) {
    if ((untouched_ & bit(i)) == 0) {
      visit(*std::launder(reinterpret_cast<stack*>(control_block(i))), context);
    }
  }
}

void stack_slab::discard(stack* unused) noexcept {
  sanitizers_retire(*unused);
  const stack_slab& home = *unused->home;
  madvise(unused->low, home.options_.size_bytes, MADV_DONTNEED);
}

void stack_slab::put_back(const std::byte* low) noexcept { untouched_ |= bit(index_of(low)); }

std::size_t stack_slab::num_guarded() const noexcept {
  return static_cast<std::size_t>(std::popcount(guarded_));
}

bool stack_slab::is_guarded(const std::byte* low) const noexcept {
  return (guarded_ & bit(index_of(low))) != 0;
}

unsigned stack_slab::index_of(const std::byte* low) const noexcept {
  return static_cast<unsigned>(static_cast<std::size_t>(low - base_) / stride_bytes_);
}

}  // namespace weft::tasks::detail
