// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The switch for AArch64 (AAPCS64, section 6: which registers a function preserves).
#include <array>
#include <cstddef>
#include <cstdint>

#include "tasks/context.hpp"

// x19 to x30, the low halves of v8 to v15, and fpcr, which is written only when it differs because
// that drains the pipeline. `ret` rather than `br`, for the return predictor: there is one call of
// this function.
asm(R"(
    .text
    .p2align 4
    .globl  weft_tasks_switch_context
    .hidden weft_tasks_switch_context
    .type   weft_tasks_switch_context, %function
weft_tasks_switch_context:
    .cfi_startproc
    sub     sp, sp, #176
    .cfi_adjust_cfa_offset 176
    stp     x29, x30, [sp]
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    stp     x19, x20, [sp, #16]
    .cfi_rel_offset x19, 16
    .cfi_rel_offset x20, 24
    stp     x21, x22, [sp, #32]
    .cfi_rel_offset x21, 32
    .cfi_rel_offset x22, 40
    stp     x23, x24, [sp, #48]
    .cfi_rel_offset x23, 48
    .cfi_rel_offset x24, 56
    stp     x25, x26, [sp, #64]
    .cfi_rel_offset x25, 64
    .cfi_rel_offset x26, 72
    stp     x27, x28, [sp, #80]
    .cfi_rel_offset x27, 80
    .cfi_rel_offset x28, 88
    stp     d8, d9, [sp, #96]
    .cfi_rel_offset d8, 96
    .cfi_rel_offset d9, 104
    stp     d10, d11, [sp, #112]
    .cfi_rel_offset d10, 112
    .cfi_rel_offset d11, 120
    stp     d12, d13, [sp, #128]
    .cfi_rel_offset d12, 128
    .cfi_rel_offset d13, 136
    stp     d14, d15, [sp, #144]
    .cfi_rel_offset d14, 144
    .cfi_rel_offset d15, 152
    mrs     x9, fpcr
    str     x9, [sp, #160]
    mov     x10, sp
    str     x10, [x0]
    mov     sp, x1
    ldr     x10, [sp, #160]
    cmp     x9, x10
    b.eq    .Lweft_restore
    msr     fpcr, x10
.Lweft_restore:
    ldp     x29, x30, [sp]
    ldp     x19, x20, [sp, #16]
    ldp     x21, x22, [sp, #32]
    ldp     x23, x24, [sp, #48]
    ldp     x25, x26, [sp, #64]
    ldp     x27, x28, [sp, #80]
    ldp     d8, d9, [sp, #96]
    ldp     d10, d11, [sp, #112]
    ldp     d12, d13, [sp, #128]
    ldp     d14, d15, [sp, #144]
    add     sp, sp, #176
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    mov     x0, x2
    mov     x1, x3
    ret
    .cfi_endproc
    .size   weft_tasks_switch_context, . - weft_tasks_switch_context

    .p2align 4
    .globl  weft_tasks_enter_stack
    .hidden weft_tasks_enter_stack
    .type   weft_tasks_enter_stack, %function
weft_tasks_enter_stack:
    .cfi_startproc
    .cfi_undefined x30
    mov     x2, x19
    mov     x3, x20
    mov     x4, x21
    bl      weft_tasks_begin
    brk     #1
    .cfi_endproc
    .size   weft_tasks_enter_stack, . - weft_tasks_enter_stack
)");

extern "C" [[gnu::visibility("hidden")]] void weft_tasks_enter_stack();

namespace weft::tasks::detail {
namespace {

// What weft_tasks_switch_context leaves on a stack, from its stack pointer upwards.
struct saved_registers {
  void* x29 = nullptr;
  void (*x30)() = &weft_tasks_enter_stack;
  void* x19;
  void* x20;
  void* x21;
  std::array<void*, 7> x22_to_x28{};
  std::array<double, 8> d8_to_d15{};
  std::uint64_t fpcr;
  std::uint64_t padding = 0;  // the stack pointer is a multiple of 16
};
static_assert(sizeof(saved_registers) == 176);

}  // namespace

std::uint64_t float_control() noexcept {
  std::uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}

void* prepare_context(std::byte* top,
                      const stack_start& start,
                      std::uint64_t float_control) noexcept {
  return new (top - sizeof(saved_registers)) saved_registers{
      .x19 = start.self,
      .x20 = reinterpret_cast<void*>(start.entry),
      .x21 = start.argument,
      .fpcr = float_control,
  };
}

}  // namespace weft::tasks::detail
