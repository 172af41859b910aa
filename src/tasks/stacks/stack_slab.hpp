// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One reservation of address space, cut into up to 64 stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

struct stack_range;

/// Each stack is, from low to high addresses: guard, usable part, control block, colour offset.
///
/// Threads: `take` and `put_back` need the pool's lock.
class stack_slab {
 public:
  /// Reserves room for 64 stacks, or fewer where address space is short; null when there is no
  /// room for even one. `errno` then says why.
  static std::unique_ptr<stack_slab> reserve(const stack_options& options) noexcept;

  /// Every stack must be out of use.
  ~stack_slab();
  stack_slab(const stack_slab&) = delete;
  stack_slab& operator=(const stack_slab&) = delete;

  /// Returns the stack that holds `address`, of whichever slab; null: none does. It must be in use.
  /// Cost: a look at each slab of the process until the right one. No lock needed.
  [[nodiscard]] static stack* holding(const void* address) noexcept;

  [[nodiscard]] bool has_room() const noexcept { return untouched_ != 0; }

  /// Makes a stack where memory is untouched; `has_room()` must hold.
  stack* take() noexcept;

  /// Gives the memory of `unused`, its control block included, back to the system. No lock needed.
  static void discard(stack* unused) noexcept;

  /// Returns the place of a discarded stack, named by an address inside its usable part.
  void put_back(const std::byte* low) noexcept;

  /// Calls `visit` for every stack that `take` made and that was not discarded.
  void for_each(void (*visit)(stack& taken, void* context), void* context);

  [[nodiscard]] std::size_t num_guarded() const noexcept;
  [[nodiscard]] bool is_guarded(const std::byte* low) const noexcept;

  stack_slab* next = nullptr;            // the pool's list of all
  stack_slab* next_with_room = nullptr;  // the pool's list of those with room

 private:
  stack_slab(const stack_options& options,
             std::byte* base,
             unsigned num_stacks,
             std::size_t stride_bytes);

  [[nodiscard]] std::byte* control_block(unsigned index) const noexcept;
  [[nodiscard]] unsigned index_of(const std::byte* low) const noexcept;

  const stack_options& options_;
  std::byte* base_;
  unsigned num_stacks_;
  std::size_t stride_bytes_;
  std::uint64_t untouched_;    // bit i: stack i holds no memory and no control block
  std::uint64_t guarded_ = 0;  // bit i: stack i has its guard, which stays until the slab goes
  stack_range* range_;         // for the overflow handler
};

}  // namespace weft::tasks::detail
