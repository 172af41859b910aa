// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list that only grows. Entries are reused, never freed, because a signal handler may read one.
#include "tasks/stacks/stack_ranges.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <optional>

namespace weft::tasks::detail {

// All members but `next` are atomic for the handler, which may read an entry while it changes. At
// worst it then takes a fault of its own stack for another stack's, and the process dies in either
// case.
struct stack_range {
  std::atomic<std::uintptr_t> base = 0;
  std::atomic<std::size_t> num_stacks = 0;  // 0: not in use
  std::atomic<std::size_t> stride_bytes = 0;
  std::atomic<std::size_t> guard_bytes = 0;
  stack_range* next = nullptr;
  stack_range* next_unused = nullptr;
};

namespace {

std::mutex registry_mutex;  // protects `unused` and registration, not the handler
stack_range* unused = nullptr;
std::atomic<stack_range*> newest = nullptr;

stack_range* add_entry() noexcept {
  auto* const entry = new (std::nothrow) stack_range;
  if (entry != nullptr) {
    entry->next = newest.load(std::memory_order_relaxed);  // relaxed: registry_mutex is held
    newest.store(entry, std::memory_order_release);        // release: for find_guard
  }
  return entry;
}

stack_range* take_entry() noexcept {
  stack_range* const entry = unused;
  if (entry == nullptr) {
    return add_entry();
  }
  unused = entry->next_unused;
  return entry;
}

}  // namespace

stack_range* register_stacks(const std::byte* base,
                             std::size_t num_stacks,
                             std::size_t stride_bytes,
                             std::size_t guard_bytes) noexcept {
  const std::scoped_lock lock(registry_mutex);
  stack_range* const entry = take_entry();
  if (entry != nullptr) {
    entry->base.store(reinterpret_cast<std::uintptr_t>(base), std::memory_order_relaxed);
    entry->stride_bytes.store(stride_bytes, std::memory_order_relaxed);
    entry->guard_bytes.store(guard_bytes, std::memory_order_relaxed);
    entry->num_stacks.store(num_stacks, std::memory_order_release);  // release: for find_guard
  }
  return entry;
}

void unregister_stacks(stack_range* entry) noexcept {
  if (entry == nullptr) {
    return;
  }
  const std::scoped_lock lock(registry_mutex);
  entry->num_stacks.store(0, std::memory_order_relaxed);  // relaxed: see stack_range
  entry->next_unused = unused;
  unused = entry;
}

std::optional<stack_place> find_stack(const void* address) noexcept {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  // acquire: pairs with the release in add_entry
  for (const stack_range* entry = newest.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->next) {
    // acquire: pairs with the release in register_stacks
    const std::size_t num_stacks = entry->num_stacks.load(std::memory_order_acquire);
    const std::uintptr_t base = entry->base.load(std::memory_order_relaxed);
    const std::size_t stride_bytes = entry->stride_bytes.load(std::memory_order_relaxed);
    if (num_stacks == 0 || wanted < base || wanted - base >= num_stacks * stride_bytes) {
      continue;
    }
    return stack_place{.base = base,
                       .index = (wanted - base) / stride_bytes,
                       .stride_bytes = stride_bytes,
                       .guard_bytes = entry->guard_bytes.load(std::memory_order_relaxed)};
  }
  return std::nullopt;
}

std::optional<guard_hit> find_guard(const void* address) noexcept {
  const std::optional<stack_place> place = find_stack(address);
  if (!place) {
    return std::nullopt;
  }
  const std::uintptr_t stack_low =
      place->base + place->index * place->stride_bytes + place->guard_bytes;
  if (reinterpret_cast<std::uintptr_t>(address) >= stack_low) {
    return std::nullopt;
  }
  return guard_hit{.stack_low = stack_low,
                   .stack_size_bytes = place->stride_bytes - place->guard_bytes};
}

}  // namespace weft::tasks::detail
