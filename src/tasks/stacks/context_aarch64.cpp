// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The switch for AArch64 (AAPCS64, section 6: which registers a function preserves).
#include <array>
#include <cstddef>
#include <cstdint>

#include "tasks/stacks/context.hpp"

// Saves x19 to x30, the low halves of v8 to v15, and fpcr. Writes fpcr only if it differs, because
// a write drains the pipeline. Uses `ret` rather than `br`, for the return predictor: this function
// is called from one place only.
asm(R"(
    .macro  save_pair first, second, offset
    stp     \first, \second, [sp, #\offset]
    .cfi_rel_offset \first, \offset
    .cfi_rel_offset \second, \offset + 8
    .endm

    .text
    .p2align 4
    .globl  weft_tasks_switch_context
    .hidden weft_tasks_switch_context
    .type   weft_tasks_switch_context, %function
weft_tasks_switch_context:
    .cfi_startproc
    sub     sp, sp, #176
    .cfi_adjust_cfa_offset 176
    save_pair x29, x30, 0
    save_pair x19, x20, 16
    save_pair x21, x22, 32
    save_pair x23, x24, 48
    save_pair x25, x26, 64
    save_pair x27, x28, 80
    save_pair d8, d9, 96
    save_pair d10, d11, 112
    save_pair d12, d13, 128
    save_pair d14, d15, 144
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
    .purgem save_pair

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

// The frame that weft_tasks_switch_context leaves on a stack, from its stack pointer upwards.
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
