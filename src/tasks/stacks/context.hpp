// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine part of a switch: registers and stack pointer, one implementation per processor.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

/// What a switch carries over: both come back in registers on the destination.
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
/// Keeps all that the ABI lets a function rely on across a call (callee-saved registers and
/// floating-point control, not its sticky flags) on the current stack, stores the stack pointer in
/// `*saved_sp`, and continues where `target_sp` was stored.
switch_result weft_tasks_switch_context(void** saved_sp, void* target_sp, stack* left, arrival* first);

/// Where a fresh stack begins; `prepare_context` arranges the call.
[[noreturn]] void weft_tasks_begin(stack* left,
                                   arrival* first,
                                   stack* self,
                                   void (*entry)(void*) noexcept,
                                   void* argument) noexcept;
}

/// Returns the floating-point control now in force, for `prepare_context`.
[[nodiscard]] std::uint64_t float_control() noexcept;

/// Writes below `top` what makes the first switch there call `weft_tasks_begin`; returns the
/// stack pointer to switch to.
[[nodiscard]] void* prepare_context(std::byte* top,
                                    const stack_start& start,
                                    std::uint64_t float_control) noexcept;

}  // namespace weft::tasks::detail
