// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the whole process, accumulated over timed calls.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::counters {

namespace detail {
struct environment;
}

/// What one counter of the catalog reads; a counter this machine lacks has no value, never 0.
struct reading {
  std::string name;
  std::string unit;
  std::optional<double> value;
  std::string reason;  // why there is no value; empty if there is one
  double scale = 1;    // > 1: the kernel multiplexed, and `value` is extrapolated by this factor
  bool includes_pauses = false;  // counted between stop() and the next start() too
};

/// Counts what this process does between `start()` and `stop()`, summed over every such interval.
///
/// Which counters there are, their units and scope: `catalog()`. Hardware counters cover every
/// thread that exists when the session is made and every thread those start later; a thread that
/// is being created during construction may be missed. Make the session before a thread pool
/// exists and each counter is one kernel object, however many threads run later. Child processes
/// started during the session are part of its hardware counters and of nothing else.
/// `run_delay` is read per thread and is too slow to read around each call: it covers the time
/// from the first `start()` to `readings()`, pauses included.
/// Cost:    `start()` and `stop()`: one system call, and one more per usable kernel counter and
///          thread that existed at construction (under 1 us each). Construction: a few
///          milliseconds, in which every hardware counter must prove that it counts.
/// Threads: one thread at a time.
/// Errors:  never throws because a counter is missing: see `reading::reason`.
/// Source:  getrusage(2), perf_event_open(2), Documentation/scheduler/sched-stats.rst.
/// Example: tests/counters/process_test.cpp: cpu_time_grows_with_work_on_every_thread.
class process_session {
 public:
  process_session();
  explicit process_session(const detail::environment& where);  // tests plant kernels and files
  ~process_session();
  process_session(process_session&&) noexcept;
  process_session& operator=(process_session&&) noexcept;

  void start();
  void stop();
  /// Returns one reading per row of `catalog()`, in its order; no values before the first `stop()`.
  [[nodiscard]] std::vector<reading> readings() const;
  /// Forgets what was counted so far.
  void reset();

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace weft::counters
