// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How what completes outside a runtime, and tells nobody, is polled by the runtime's workers.
#pragma once

#include "weft/base/abi.hpp"  // IWYU pragma: keep
#include "weft/tasks/runtime_types.hpp"

namespace weft::tasks {

/// Something that must be polled: messages of MPI, events of a GPU.
///
/// Workers poll before they sleep, and between two tasks about every 20 us, or later after a poll
/// that took long. Another thread that waits for a future polls for 50 us before it sleeps, while no
/// worker runs a task. A thread of the runtime polls while all workers sleep, and about every 0.5 ms
/// while all are in long tasks.
/// Without events its pauses grow to a 64th of the time since the last event, and at most to 8 ms.
/// Only one thread polls a runtime's sources at a time. A normal task that a poll starts runs before
/// normal tasks that already wait, with few exceptions.
class progress_source {
 public:
  progress_source() = default;
  progress_source(const progress_source&) = delete;
  progress_source& operator=(const progress_source&) = delete;
  virtual ~progress_source() = default;

  /// Looks once, and never waits. May start tasks and resume waiters. True: something happened.
  ///
  /// Continuations by `launch::sync` of futures that this makes ready run as tasks, so that they
  /// may wait for what the next poll finds.
  virtual bool poll() noexcept = 0;
  /// False while nothing can happen: nobody polls until `expect_progress`.
  [[nodiscard]] virtual bool wants_polling() const noexcept = 0;
};

/// Has `source` polled by `home` from now on.
///
/// While a runtime has a source that wants polling, tasks that all wait are no deadlock.
/// Errors:  std::bad_alloc; std::system_error if the polling thread cannot be started.
/// Example: tests/tasks/progress_test.cpp: a_source_resumes_a_waiting_task.
void add_progress_source(scheduler& home, progress_source& source);

/// Has `source` no longer polled; returns once no thread polls it.
/// Threads: any that is not within `poll`.
void remove_progress_source(scheduler& home, progress_source& source) noexcept;

/// Says that something is about to happen in a source of `home`: a worker is awake and polls for the
/// next millisecond.
/// Cost:    a look at the workers' states; a wake if all of them sleep.
void expect_progress(scheduler& home) noexcept;
/// As `expect_progress`, for an event that the calling thread, not a worker, probably waits for next.
///
/// Wakes no worker if the thread polled by itself in its last wait.
void expect_awaited_progress(scheduler& home) noexcept;
/// The same for a source that wants polling already, by a worker of `home`, which will poll before
/// it sleeps.
/// Cost:    the clock is read; after a long time without events, the polling thread is woken.
void expect_more_progress(scheduler& home) noexcept;

/// Polls the sources of `home` once, unless another thread does. True: something happened.
bool poll_progress(scheduler& home) noexcept;

/// True on a thread that is within `poll` of a source: it must not wait for that.
[[nodiscard]] bool is_polling_progress() noexcept;

}  // namespace weft::tasks
