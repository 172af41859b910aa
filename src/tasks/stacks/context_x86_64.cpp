// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The switch for x86-64, System V ABI (section 3.2.1: which registers a function preserves).
#include <cstddef>
#include <cstdint>

#include "tasks/stacks/context.hpp"

// The control bits of mxcsr and the x87 control word are preserved across calls. A rounding mode
// that leaked into other tasks would change their results silently. Reading mxcsr costs about 11
// cycles (Zen 5), of 19 for the whole switch. Loading it would cost more, so it is loaded only if
// it differs. Its status bits belong to the thread, not to the stack.
//
// Uses `ret` rather than an indirect jump. This function is called from one place only, so the
// address on top of the return predictor is right on every stack.
//
// User-mode shadow stacks (CET) are not maintained. glibc leaves them off unless a tunable enables
// them.
asm(R"(
    .text
    .p2align 4
    .globl  weft_tasks_switch_context
    .hidden weft_tasks_switch_context
    .type   weft_tasks_switch_context, @function
weft_tasks_switch_context:
    .cfi_startproc
    pushq   %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbp, 0
    pushq   %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset rbx, 0
    pushq   %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r12, 0
    pushq   %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r13, 0
    pushq   %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r14, 0
    pushq   %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset r15, 0
    subq    $8, %rsp
    .cfi_adjust_cfa_offset 8
    stmxcsr (%rsp)
    fnstcw  4(%rsp)
    movl    (%rsp), %eax
    movzwl  4(%rsp), %r8d
    movq    %rsp, (%rdi)
    movq    %rsi, %rsp
    xorl    (%rsp), %eax
    testl   $0xffc0, %eax
    jne     .Lweft_load_mxcsr
.Lweft_compare_x87:
    cmpw    4(%rsp), %r8w
    jne     .Lweft_load_x87
.Lweft_restore:
    .cfi_remember_state
    addq    $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq    %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore r15
    popq    %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore r14
    popq    %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore r13
    popq    %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore r12
    popq    %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbx
    popq    %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore rbp
    movq    %rdx, %rax
    movq    %rcx, %rdx
    ret
.Lweft_load_mxcsr:
    .cfi_restore_state
    ldmxcsr (%rsp)
    jmp     .Lweft_compare_x87
.Lweft_load_x87:
    fldcw   4(%rsp)
    jmp     .Lweft_restore
    .cfi_endproc
    .size   weft_tasks_switch_context, . - weft_tasks_switch_context

    .p2align 4
    .globl  weft_tasks_enter_stack
    .hidden weft_tasks_enter_stack
    .type   weft_tasks_enter_stack, @function
weft_tasks_enter_stack:
    .cfi_startproc
    .cfi_undefined rip
    movq    %rax, %rdi
    movq    %rdx, %rsi
    movq    %r12, %rdx
    movq    %r13, %rcx
    movq    %r14, %r8
    xorl    %ebp, %ebp
    call    weft_tasks_begin
    ud2
    .cfi_endproc
    .size   weft_tasks_enter_stack, . - weft_tasks_enter_stack
)");

extern "C" [[gnu::visibility("hidden")]] void weft_tasks_enter_stack();

namespace weft::tasks::detail {
namespace {

// The frame that weft_tasks_switch_context leaves on a stack, from its stack pointer upwards.
struct saved_registers {
  std::uint64_t float_control;  // mxcsr, then the x87 control word in the upper half
  void* r15;
  void* r14;
  void* r13;
  void* r12;
  void* rbx;
  void* rbp;
  void (*resume)();
};
static_assert(sizeof(saved_registers) == 64);

}  // namespace

std::uint64_t float_control() noexcept {
  std::uint32_t mxcsr = 0;
  std::uint16_t x87 = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
  return mxcsr | std::uint64_t{x87} << 32U;
}

void* prepare_context(std::byte* top,
                      const stack_start& start,
                      std::uint64_t float_control) noexcept {
  return new (top - sizeof(saved_registers)) saved_registers{
      .float_control = float_control,
      .r15 = nullptr,
      .r14 = start.argument,
      .r13 = reinterpret_cast<void*>(start.entry),
      .r12 = start.self,
      .rbx = nullptr,
      .rbp = nullptr,
      .resume = &weft_tasks_enter_stack,
  };
}

}  // namespace weft::tasks::detail
