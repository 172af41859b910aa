// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The switch for all other processors: ucontext, with a system call each time.
#include "tasks/stacks/context.hpp"

#include <array>
#include <bit>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <exception>

#include <ucontext.h>  // NOLINT(misc-include-cleaner): ucontext_t is in a header of its own

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {
namespace {

// Lies on the stack that it belongs to; `stack::saved_sp` points to it.
struct saved_context {
  ucontext_t registers;     // NOLINT(misc-include-cleaner): as above
  switch_result message{};  // written by the code that switches here
};

struct first_context {
  saved_context saved;
  stack_start start;
  int rounding;
};

using two_ints = std::array<unsigned int, 2>;  // makecontext passes only ints
static_assert(sizeof(void*) == sizeof(two_ints));

void enter_stack(unsigned int first_half, unsigned int second_half) {
  const auto& first = *std::bit_cast<const first_context*>(two_ints{first_half, second_half});
  std::fesetround(first.rounding);
  const auto [left, arrived] = first.saved.message;
  weft_tasks_begin(left, arrived, first.start.self, first.start.entry, first.start.argument);
}

}  // namespace

switch_result weft_tasks_switch_context(void** saved_sp,
                                        void* target_sp,
                                        stack* left,
                                        arrival* first) {
  auto& target = *static_cast<saved_context*>(target_sp);
  saved_context here;
  target.message = {.left = left, .first = first};
  *saved_sp = &here;
  if (swapcontext(&here.registers, &target.registers) != 0) {
    std::terminate();  // fails only for a signal mask that the kernel does not know
  }
  return here.message;
}

std::uint64_t float_control() noexcept { return static_cast<std::uint64_t>(std::fegetround()); }

void* prepare_context(std::byte* top,
                      const stack_start& start,
                      std::uint64_t float_control) noexcept {
  constexpr std::size_t room_bytes = (sizeof(first_context) + 63) / 64 * 64;
  auto* const first = new (top - room_bytes)
      first_context{.saved = {}, .start = start, .rounding = static_cast<int>(float_control)};
  ucontext_t& registers = first->saved.registers;
  getcontext(&registers);
  registers.uc_stack.ss_sp = start.self->low;
  registers.uc_stack.ss_size =
      static_cast<std::size_t>(reinterpret_cast<std::byte*>(first) - start.self->low);
  registers.uc_link = nullptr;
  const auto halves = std::bit_cast<two_ints>(first);
  makecontext(&registers, reinterpret_cast<void (*)()>(&enter_stack), 2, halves[0], halves[1]);
  return &first->saved;
}

}  // namespace weft::tasks::detail
