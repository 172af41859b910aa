// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that block an OS thread, made where they do not block a worker.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <source_location>
#include <type_traits>

#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft {
namespace tasks::detail {

/// Runs `t` on an auxiliary OS thread and suspends the calling task until it is done.
void run_on_auxiliary_thread(task& t, const wait_reason& why);

}  // namespace tasks::detail

/// Calls `f()` on an auxiliary OS thread and returns its result; the calling task is suspended
/// meanwhile. Use it for calls that read a file, wait for a foreign lock, or block in the kernel
/// otherwise.
///
/// There are as many auxiliary threads as simultaneous calls; idle ones end after a second. A
/// thread that is not a worker calls `f` itself.
/// Cost:    some 10 us: two threads have to wake.
/// Threads: within `f`, the thread is not a worker: thread-local variables are the auxiliary
///          thread's.
/// Errors:  rethrows what `f` throws; std::system_error if no thread can be started.
/// Example: tests/tasks/blocking_test.cpp: other_tasks_run_meanwhile.
template <std::invocable F>
std::invoke_result_t<F&> blocking(
    F&& f, const std::source_location& where = std::source_location::current()) {
  using result = std::invoke_result_t<F&>;
  if (tasks::detail::self() == nullptr) {
    return std::invoke(f);
  }
  if constexpr (std::is_reference_v<result>) {
    return static_cast<result>(*blocking(
        [&f] {
          auto&& referred = std::invoke(f);
          return std::addressof(referred);
        },
        where));
  } else {
    tasks::detail::forked<std::remove_reference_t<F>> call(f);
    const tasks::detail::wait_reason why{.kind = "blocking", .object = &call, .where = where};
    tasks::detail::run_on_auxiliary_thread(call, why);
    return static_cast<result>(call.take());
  }
}

}  // namespace weft
