// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges among weft's tasks: waiting for one in a coroutine or by a sender, and copying on all
// workers.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

#include <mpi.h>
#include <sched.h>

#include "weft/execution/runtime_scheduler.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/executor.hpp"
#include "weft/halo/pending.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"
#include "weft/tasks/this_task.hpp"

namespace weft::halo {

/// The workers of `home`, which must outlive the exchanges, for `exchange_options::executor`.
///
/// Threads: MPI is called by the thread that exchanges, never by the workers.
/// Example: tests/halo/async_test.cpp: workers_of_a_runtime_copy.
[[nodiscard]] inline executor on_workers(runtime& home) {
  return {static_cast<std::size_t>(home.num_workers()),
          [&home](std::size_t count, const loop_body& body) {
            home.run([&] { parallel_for(count, body, {.grain = 1}); });
          }};
}

namespace detail {

inline int level_of_threads() {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

/// Lives in the coroutine's frame while it waits. A task looks after the exchange, lets others on
/// its worker go first between two looks, and then resumes the coroutine.
template <std::size_t num_dims>
class pending_awaiter : tasks::work_item {
 public:
  explicit pending_awaiter(halo::pending<num_dims>&& awaited) noexcept
      : tasks::work_item(&look_until_over), awaited_(std::move(awaited)) {}
  pending_awaiter(const pending_awaiter&) = delete;
  pending_awaiter& operator=(const pending_awaiter&) = delete;

  [[nodiscard]] bool await_ready() {
    if (level_of_threads() < MPI_THREAD_SERIALIZED) {
      throw error(errc::unsupported,
                  "tasks that wait for an exchange call MPI from several threads in turn; call "
                  "MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or use "
                  "wait()");
    }
    return awaited_.test();
  }
  void await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    execution::detail::start_task(tasks::current_scheduler(), *this);
  }
  void await_resume() const {
    if (failed_ != nullptr) {
      std::rethrow_exception(failed_);
    }
  }

 private:
  static tasks::waiter* look_until_over(tasks::work_item& me) noexcept {
    constexpr unsigned looks_at_a_time = 64;
    auto& waits = static_cast<pending_awaiter&>(me);
    try {
      for (unsigned looks = 1; !waits.awaited_.test(); ++looks) {
        this_task::yield();
        if (looks % looks_at_a_time == 0) {
          sched_yield();  // a neighbour may need this processor
        }
      }
    } catch (...) {
      waits.failed_ = std::current_exception();
    }
    waits.waiting_.resume();
    return nullptr;
  }

  halo::pending<num_dims> awaited_;
  std::coroutine_handle<> waiting_;
  std::exception_ptr failed_;
};

}  // namespace detail

/// `co_await exchange.start(fields...)` resumes when all halos are filled. A `pending` is also a
/// sender for `weft::execution`, which sends no value.
///
/// Meanwhile the worker runs other tasks. Once begun, an exchange cannot be stopped.
/// Cost:    a task that looks repeatedly, between the other tasks of its worker.
/// Threads: several coroutines may exchange at the same time, each with its own exchange. The plan
///          of each must exist, because all ranks make plans together, in one order. Set
///          `max_fields`, or exchange as many fields once before. With MPI_THREAD_SERIALIZED weft
///          serialises MPI calls, including those of blocks and subdomains. No other code may call
///          MPI while an exchange is awaited; make and destroy exchanges and fields while none is.
///          The coroutine resumes as a task of its former runtime, or of the default one.
/// Errors:  those of `wait`; `halo::error` (`unsupported`) for less than MPI_THREAD_SERIALIZED.
/// Example: tests/halo/async_test.cpp: coroutines_await_exchanges.
template <std::size_t num_dims>
[[nodiscard]] auto operator co_await(pending<num_dims>&& awaited) noexcept {
  return detail::pending_awaiter<num_dims>(std::move(awaited));
}

}  // namespace weft::halo
