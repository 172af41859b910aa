// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leaves one stack for another, and saves what belongs to the stack rather than to the thread.
#include <cstddef>
#include <system_error>

#include <cxxabi.h>
#include <pthread.h>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"

#include "tasks/stacks/context.hpp"
#include "tasks/stacks/stack_sanitizers.hpp"

namespace weft::tasks::detail {
namespace {

// The pointer is passed from stack to stack, instead of calling __cxa_get_globals(). That function
// is declared const, so a compiler may reuse its address on another thread.
void swap_exception_state(stack& from, stack& to) noexcept {
  from.exceptions = *from.of_thread;
  *from.of_thread = to.exceptions;
  to.of_thread = from.of_thread;
}

}  // namespace

[[gnu::noinline]] void switch_stack(stack& from, stack& to, arrival* first) noexcept {
  swap_exception_state(from, to);
  sanitizers_leave(from, to);
  const switch_result here = weft_tasks_switch_context(&from.saved_sp, to.saved_sp, &from, first);
  sanitizers_arrive(from, *here.left);
  if (here.first != nullptr) {
    here.first->run(*here.first, *here.left);
  }
}

// Not instrumented: AddressSanitizer does not know the stack until sanitizers_arrive.
[[gnu::no_sanitize_address]] void weft_tasks_begin(stack* left,
                                                   arrival* first,
                                                   stack* self,
                                                   void (*entry)(void*) noexcept,
                                                   void* argument) noexcept {
  sanitizers_arrive(*self, *left);
  if (first != nullptr) {
    first->run(*first, *left);
  }
  entry(argument);
  __builtin_trap();
}

stack make_native_stack(std::size_t head_room_bytes) {
  pthread_attr_t attributes;
  if (const int code = pthread_getattr_np(pthread_self(), &attributes); code != 0) {
    throw error("weft: cannot find out where this thread's stack lies: pthread_getattr_np: " +
                std::generic_category().message(code));
  }
  void* low = nullptr;
  std::size_t size_bytes = 0;
  pthread_attr_getstack(&attributes, &low, &size_bytes);
  pthread_attr_destroy(&attributes);

  stack native;
  native.low = static_cast<std::byte*>(low);
  native.high = native.low + size_bytes;
  native.soft_limit = native.low + head_room_bytes;
  native.of_thread = reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
  sanitizers_adopt(native);
  return native;
}

}  // namespace weft::tasks::detail
