// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The addresses of every pool's stacks, readable from a signal handler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::tasks::detail {

struct stack_range;  // one entry of the list

/// Registers `num_stacks` stacks of `stride_bytes`, each beginning with its guard. Null: no memory
/// for the entry, so these stacks are not recognised.
[[nodiscard]] stack_range* register_stacks(const std::byte* base,
                                           std::size_t num_stacks,
                                           std::size_t stride_bytes,
                                           std::size_t guard_bytes) noexcept;

/// `entry` may be null.
void unregister_stacks(stack_range* entry) noexcept;

/// The position of a registered stack.
struct stack_place {
  std::uintptr_t base;  // of its range
  std::size_t index;    // in its range
  std::size_t stride_bytes;
  std::size_t guard_bytes;
};

/// Returns the stack whose memory, its guard included, holds `address`. Async-signal-safe.
[[nodiscard]] std::optional<stack_place> find_stack(const void* address) noexcept;

struct guard_hit {
  std::uintptr_t stack_low;  // just above the guard
  std::size_t stack_size_bytes;
};

/// Returns the stack whose guard holds `address`. Async-signal-safe.
[[nodiscard]] std::optional<guard_hit> find_guard(const void* address) noexcept;

}  // namespace weft::tasks::detail
