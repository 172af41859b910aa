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
/// Threads: call `take` and `put_back` under the pool's lock.
class stack_slab {
 public:
  /// Reserves address space for 64 stacks, or for fewer if it is short. Null: there is no room for
  /// even one; `errno` then says why.
  static std::unique_ptr<stack_slab> reserve(const stack_options& options) noexcept;

  /// No stack may be in use.
  ~stack_slab();
  stack_slab(const stack_slab&) = delete;
  stack_slab& operator=(const stack_slab&) = delete;

  /// Returns the stack in use that holds `address`, from any slab; null: none does. Needs no lock.
  /// Cost:    checks each slab of the process until it finds the right one.
  [[nodiscard]] static stack* holding(const void* address) noexcept;

  [[nodiscard]] bool has_room() const noexcept { return untouched_ != 0; }

  /// Makes a stack in untouched memory. `has_room()` must be true.
  stack* take() noexcept;

  /// Returns the memory of `unused`, its control block included, to the system. Needs no lock.
  static void discard(stack* unused) noexcept;

  /// Makes the place of a discarded stack free again. `low` is an address inside its usable part.
  void put_back(const std::byte* low) noexcept;

  /// Calls `visit` for every stack that `take` has made and that is not discarded.
  void for_each(void (*visit)(stack& taken, void* context), void* context);

  [[nodiscard]] std::size_t num_guarded() const noexcept;
  [[nodiscard]] bool is_guarded(const std::byte* low) const noexcept;

  stack_slab* next = nullptr;            // the list of all slabs in the pool
  stack_slab* next_with_room = nullptr;  // the list of slabs with room in the pool

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
  std::uint64_t untouched_;  // bit i: stack i has no memory and no control block
  // bit i: stack i has its guard, which stays until the slab is unmapped
  std::uint64_t guarded_ = 0;
  stack_range* range_;  // for the overflow handler
};

}  // namespace weft::tasks::detail
