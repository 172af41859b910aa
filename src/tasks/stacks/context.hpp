// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine-dependent part of a switch: registers and stack pointer, one implementation per
// processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

/// The values that a switch passes to its destination, in registers.
struct switch_result {
  stack* left;
  arrival* first;
};

struct stack_start {
  stack* self;
  void (*entry)(void*) noexcept;
  void* argument;
};

extern "C" {
/// Saves all registers that a function must preserve by the ABI, and the floating-point control
/// without its sticky flags, on the current stack. Stores the stack pointer in `*saved_sp`, and
/// continues where `target_sp` was stored.
switch_result weft_tasks_switch_context(void** saved_sp,
                                        void* target_sp,
                                        stack* left,
                                        arrival* first);

/// The first function on a fresh stack; `prepare_context` arranges the call.
[[noreturn]] void weft_tasks_begin(stack* left,
                                   arrival* first,
                                   stack* self,
                                   void (*entry)(void*) noexcept,
                                   void* argument) noexcept;
}

/// Returns the current floating-point control, for `prepare_context`.
[[nodiscard]] std::uint64_t float_control() noexcept;

/// Writes a frame below `top` that makes the first switch there call `weft_tasks_begin`. Returns
/// the stack pointer to switch to.
[[nodiscard]] void* prepare_context(std::byte* top,
                                    const stack_start& start,
                                    std::uint64_t float_control) noexcept;

}  // namespace weft::tasks::detail
