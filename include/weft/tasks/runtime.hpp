// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers that run a program's tasks.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft {

namespace execution {
class runtime_scheduler;
}

namespace tasks::detail {
struct runtime_access;
class runtime_parts;
}  // namespace tasks::detail

/// A set of workers, one OS thread each, and the tasks they share.
///
/// Most programs need no runtime of their own: calls on a thread that is not a worker run on
/// `default_runtime()`. Several may exist at once; a task stays on the runtime that started it.
/// Threads: every member from any thread but the destructor, which is not for its own tasks.
class runtime {
 public:
  /// Starts the workers, as `WEFT_...` variables say; a message says which of them are ignored,
  /// since their texts do not parse. Cost and errors as below.
  /// Example: tests/tasks/print_counters_test.cpp: a_variable_that_is_nonsense_is_ignored.
  explicit runtime();
  /// Starts the workers.
  /// Cost:    reads the machine (about a millisecond) and starts one thread per worker.
  /// Errors:  `weft::error` for options that cannot be met; std::system_error if no thread can be
  ///          started.
  explicit runtime(const runtime_options& options);
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  /// Waits until all tasks have ended, then ends the workers.
  ~runtime();

  /// How many workers take tasks.
  [[nodiscard]] int num_workers() const noexcept;

  /// Changes the number of workers that run tasks. It returns before surplus workers have stopped:
  /// each goes to sleep after its current task, and the others run its queued tasks.
  ///
  /// Cost:    starts threads for workers that never were; wakes those that sleep.
  /// Errors:  `weft::error` for less than 1, or more than both 1024 and 16 per CPU.
  ///          `std::system_error` if not all threads can be started; the started ones stay.
  /// Example: tests/tasks/runtime_test.cpp: resize_changes_who_works.
  void resize(int num_workers);

  /// Where senders are started on these workers. Include weft/execution/runtime_scheduler.hpp.
  /// Example: tests/execution/schedulers_test.cpp: work_runs_on_a_worker.
  [[nodiscard]] execution::runtime_scheduler get_scheduler() noexcept;

  /// Workers of their own that stay on those CPUs, one each: a runtime with this one's options,
  /// never this one itself. The first call for a set of CPUs starts them; they end with this
  /// runtime, and sleep unless they are given work. Theirs are `on_cpus(cpus).get_scheduler()`,
  /// `policy.on(on_cpus(cpus))` and `parallel_executor(on_cpus(cpus))`; what their tasks start
  /// stays with them.
  ///
  /// Cost:    the first time, threads (about a millisecond); then a lock and a look-up. If these
  ///          and this runtime's own workers are busy on the same CPUs, the kernel divides the CPUs
  ///          among them. So give work to one of the two, or `resize` this runtime meanwhile.
  /// Errors:  `weft::error` for a CPU that the process may not use, and for none at all.
  /// Example: tests/tasks/runtime_test.cpp: a_set_of_cpus_has_workers_of_its_own.
  [[nodiscard]] runtime& on_cpus(std::vector<int> cpus);
  /// The same for those CPUs of a NUMA node that this process may use.
  /// Errors:  `weft::error` for a node that is not there, or whose CPUs it may not use.
  [[nodiscard]] runtime& on_numa_node(int node);

  /// Waits until no task is left: none queued, none that runs, none that waits.
  /// Threads: not for its own tasks.
  /// Errors:  `weft::error` if one of them calls it.
  /// Example: tests/tasks/runtime_test.cpp: idle_is_when_no_task_is_left.
  void wait_until_idle();

  /// Runs `body` as a task and returns what it returns, once it has.
  ///
  /// Threads: from any; a thread that is not a worker sleeps meanwhile, a task is suspended.
  /// Errors:  rethrows what `body` throws.
  /// Example: tests/tasks/runtime_test.cpp: run_returns_the_result.
  template <std::invocable F>
  auto run(F&& body) -> std::invoke_result_t<F&> {
    using result = std::invoke_result_t<F&>;
    if constexpr (std::is_reference_v<result>) {
      return static_cast<result>(*run([&body] {
        auto&& referred = std::invoke(body);
        return std::addressof(referred);
      }));
    } else {
      tasks::detail::forked<std::remove_reference_t<F>> root(body);
      tasks::detail::run_and_wait(*scheduler_, root);
      return static_cast<result>(root.take());
    }
  }

 private:
  friend struct tasks::detail::runtime_access;
  std::unique_ptr<tasks::detail::scheduler> scheduler_;
  std::unique_ptr<tasks::detail::runtime_parts> parts_;  // which end first
};

/// The runtime for threads that are not workers. The first call starts it, with the settings of the
/// environment or of `init`. It ends with the process, after all its tasks and before static
/// objects made before this call; see "When the process ends" in docs/how_the_scheduler_works.md.
///
/// Errors:  as the constructor's; the next call tries again.
runtime& default_runtime();

/// Reads `--weft:...` arguments for the default runtime and for counters, also as `--hpx:...`, and
/// removes them from `argv`. Call it first in `main`.
///
/// Prints help and lists that the arguments request to standard output, and ends the program with
/// 0, as `exit` does. A mistake prints a line on standard error and ends the program with 2. If
/// counters are to be listed or printed, it starts the default runtime. Counters to be printed at
/// the end are printed when the process ends, also by `exit`.
/// Errors:  mistakes end the program and throw nothing. Mistakes are an argument that does not
///          parse, an unknown counter or destination, and an argument for a default runtime that
///          has already started. A variable that does not parse is ignored, and a message says so.
///          std::system_error as `default_runtime`.
/// Example: examples/hello.cpp
void init(int& argc, char** argv);

/// The action that `try_init` requests of its program.
struct init_result {
  std::string text;          // to be printed, if not empty
  bool should_exit = false;  // --weft:help or --weft:exit was given
  bool is_list = false;      // the text lists counters; `init` ends the program then, too
};

/// As `init`, for programs that decide themselves: returns what `init` would print, and never ends
/// the program.
///
/// Errors:  `weft::error` for the mistakes above; it names the argument and what is accepted.
/// Example: tests/tasks/print_counters_test.cpp: a_program_may_decide_what_becomes_of_text.
[[nodiscard]] init_result try_init(int& argc, char** argv);

}  // namespace weft
