// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of the sanitizers and valgrind about each stack, from its creation to its end.
#include "tasks/stacks/stack_sanitizers.hpp"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) 0U
#define VALGRIND_STACK_DEREGISTER(id) static_cast<void>(id)
#endif

#include "weft/tasks/detail/stacks/stack.hpp"

#if defined(WEFT_ASAN)
#include <cstddef>

#include "tasks/stacks/context.hpp"
#endif

namespace weft::tasks::detail {
namespace {

#if defined(WEFT_ASAN)

struct last_visit {
  stack* gone;
  stack* visitor;
};

// Passing a null fake stack to the switch frees the current one.
[[gnu::no_sanitize_address]] void abandon_this_stack(void* argument) noexcept {
  const auto& visit = *static_cast<last_visit*>(argument);
  const stack& visitor = *visit.visitor;
  __sanitizer_start_switch_fiber(
      nullptr, visitor.low, static_cast<std::size_t>(visitor.high - visitor.low));
  weft_tasks_switch_context(&visit.gone->saved_sp, visitor.saved_sp, visit.gone, nullptr);
}

// Only the stack itself can free its fake stack, so it runs once more.
void free_fake_stack(stack& gone) noexcept {
  if (gone.asan_fake_stack == nullptr) {
    return;
  }
  exception_state unused;
  stack visitor;  // describes the current stack, and learns its bounds on arrival
  visitor.of_thread = &unused;
  last_visit visit{.gone = &gone, .visitor = &visitor};
  gone.saved_sp = prepare_context(gone.high,
                                  {.self = &gone, .entry = &abandon_this_stack, .argument = &visit},
                                  float_control());
  switch_stack(visitor, gone, nullptr);
  gone.asan_fake_stack = nullptr;
}

void allow_all_access(const stack& to) noexcept {
  __asan_unpoison_memory_region(to.low, static_cast<std::size_t>(to.high - to.low));
}

#endif

#if defined(WEFT_TSAN)
void destroy_fiber(stack& of) noexcept {
  if (of.tsan_fiber != nullptr) {
    __tsan_destroy_fiber(of.tsan_fiber);
    of.tsan_fiber = nullptr;
  }
}
#endif

}  // namespace

void sanitizers_make(stack& made) noexcept {
  made.valgrind_id = VALGRIND_STACK_REGISTER(made.low, made.high);
}

void sanitizers_prepare([[maybe_unused]] stack& fresh) noexcept {
#if defined(WEFT_ASAN)
  allow_all_access(fresh);
#endif
#if defined(WEFT_TSAN)
  // A fiber keeps a list of active calls. The calls of an abandoned stack would accumulate.
  destroy_fiber(fresh);
  fresh.tsan_fiber = __tsan_create_fiber(0);
#endif
}

void sanitizers_retire(stack& gone) noexcept {
  VALGRIND_STACK_DEREGISTER(gone.valgrind_id);
#if defined(WEFT_ASAN)
  allow_all_access(gone);
  free_fake_stack(gone);
  allow_all_access(gone);
#endif
#if defined(WEFT_TSAN)
  destroy_fiber(gone);
#endif
}

}  // namespace weft::tasks::detail
