// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls a function on another stack, as a part of the same task.
#include "weft/tasks/detail/stacks/nested_stack.hpp"

#include <exception>

#include "weft/tasks/detail/groups/task_scope.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/scheduler/worker_loop.hpp"

namespace weft::tasks::detail {

namespace {

struct linked_call {
  void (*body)(void*);
  void* context;
  stack* caller;
  std::exception_ptr error;
  [[no_unique_address]] frame_mark mark;
};

[[gnu::noinline, gnu::no_sanitize_address]] void make_linked_call(linked_call& call) noexcept {
  const task_scope scope(call.mark.address());
  try {
    call.body(call.context);
  } catch (...) {
    call.error = std::current_exception();
  }
}

[[gnu::noinline]] void run_linked(void* argument) noexcept {
  auto& call = *static_cast<linked_call*>(argument);
  make_linked_call(call);
  worker& w = *self();
  call.caller->paused_ticks = w.current->paused_ticks;
  switch_to(w, *call.caller, &recycle);
}

}  // namespace

[[gnu::noinline]] void call_on_another_stack(worker& w, void (*body)(void*), void* context) {
  linked_call call{body, context, w.current, nullptr, {}};
  stack& next = prepared(w, *w.stacks.acquire(), run_linked, &call);
  next.identity = call.caller->identity;
  next.held = call.caller->held;
  next.num_beneath = call.caller->num_beneath;
  next.paused_ticks = call.caller->paused_ticks;
  switch_to(w, next, nullptr);
  if (call.error) {
    std::rethrow_exception(call.error);
  }
}

}  // namespace weft::tasks::detail
