// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counting the tasks of a worker, and timing some of them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "weft/counters/ticks.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/timing_mode.hpp"

#if defined(__SANITIZE_THREAD__)
#define WEFT_COUNTS_BY_ATOMICS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_COUNTS_BY_ATOMICS 1
#endif
#endif

namespace weft::tasks::detail {

struct stack;

/// The way a task came to run.
enum class run_kind : std::uint8_t {
  called,  // by the task that would have waited for it
  looped,  // by the worker's loop, which continues with the next task
  grouped  // by the loop of the task that made its group
};

/// Units: ticks.
struct timing_cost {
  [[nodiscard]] std::uint64_t& added_to(run_kind how) noexcept {
    return added_ticks[static_cast<std::size_t>(how)];
  }

  // how much timing adds to the measured time, by kind of run
  std::array<std::uint64_t, 3> added_ticks{};
  std::uint64_t cost_ticks = 256;  // how long timing one task takes
};

/// The timing of one task body. It lives in the frame that calls the body.
struct timed_task {
  const void* subject = nullptr;  // the task
  const void* label = nullptr;    // the address of the task's function
  run_kind kind = run_kind::called;

  timed_task* outer = nullptr;  // the timed task that runs this one as a call
  std::uint64_t arrival_ticks = 0;
  std::uint64_t begin_ticks = 0;
  std::uint64_t paused_before_ticks = 0;
  std::uint64_t called_ticks = 0;   // time of the timed tasks that it ran as calls
  std::uint64_t covered_ticks = 0;  // time until calls were no longer timed; 0: all calls are timed
  std::uint32_t weight = 0;         // how many tasks this sample stands for; 0: it was not drawn
  std::uint32_t calls_left = 0;     // how many more calls are to be timed
  bool times_calls = false;
};

/// Counts a worker's tasks down to the next one that is timed.
///
/// Counting and testing are one decrement and one branch. Of `period` tasks, one is drawn at random
/// and stands for all of them. Its time excludes the tasks that it runs as calls; the first few of
/// those are timed, too. The period is chosen so that timing takes a small part of the worker's
/// time. If tasks are long, the period is 1.
///
/// Threads: the worker's own.
/// Example: tests/tasks/task_clock_test.cpp: what_was_drawn_stands_for_all.
class task_clock {
 public:
  task_clock(counters::worker_block& block, timing_mode mode, std::uint32_t seed) noexcept;
  /// With a null `ring`, nothing is recorded.
  task_clock(counters::worker_block& block,
             timing_mode mode,
             std::uint32_t seed,
             counters::trace_ring* ring) noexcept;
  task_clock(const task_clock&) = delete;
  task_clock& operator=(const task_clock&) = delete;
  /// Measures how much timing adds to measured times, and how long it takes. Without this call, the
  /// added time counts as zero.
  /// Threads: the worker's thread, on a stack and before its first task.
  /// Errors:  std::bad_alloc.
  void calibrate();

  /// Stores the number of tasks in the block, which another worker may use afterwards.
  void finish() noexcept;

  /// Counts a task that is about to run here. True: the caller must put it between `begin` and
  /// `end`.
  [[gnu::always_inline]] bool count() noexcept {
#if defined(WEFT_COUNTERS_OFF)
    return false;
#elif defined(__x86_64__) && !defined(WEFT_COUNTS_BY_ATOMICS)
    // From the code below, compilers make a load, a subtraction, a store and a comparison.
    bool is_due;
    asm("decq %0" : "+m"(left_), "=@ccz"(is_due));
    return is_due;
#else
    const std::atomic_ref<std::uint64_t> left(left_);
    const std::uint64_t rest = left.load(std::memory_order_relaxed) - 1;
    left.store(rest, std::memory_order_relaxed);
    return rest == 0;
#endif
  }
  /// Takes back one count, for a task that was counted before and only resumes.
  void uncount() noexcept;

  /// Call these around the body of a task, which may end on another worker than it began on.
  void begin(timed_task& body, const stack& here) noexcept;
  void end(timed_task& body, const stack& here) noexcept;

  /// Call these when the running task leaves its worker, and when it resumes, perhaps on another
  /// one.
  struct pause {
    timed_task* body = nullptr;
    std::uint64_t since_ticks = 0;
  };
  [[nodiscard]] pause begin_pause(const stack& here) noexcept;
  void end_pause(const pause& from, stack& here) noexcept;

  /// Counts the loop's runs, modulo 2^32.
  std::uint32_t count_loop_run() noexcept { return ++loop_runs_; }
  [[nodiscard]] std::uint32_t num_loop_runs() const noexcept { return loop_runs_; }
  /// Call it if the next task is not the one that the loop would have run after its last task.
  void break_window() noexcept { last_end_ticks_ = 0; }
  /// Call it when the loop of a worker, or of a group's maker, ends. All runs since the last timed
  /// task followed each other directly.
  void end_window() noexcept {
    if (last_end_ticks_ != 0) [[unlikely]] {
      close_window();
    }
  }
  /// Makes the counts visible to readers in other processes.
  void publish() noexcept;

  /// Returns true now and then, once: the worker then measures the delay of the next task that it
  /// queues.
  [[nodiscard]] bool take_delay_request() noexcept {
    return std::exchange(is_delay_requested_, false);
  }
  void note_delay(std::uint64_t since_ticks) noexcept;

  /// True if events of this worker are recorded.
  [[nodiscard]] bool is_traced() const noexcept { return ring_ != nullptr; }
  /// Records an event if events are recorded.
  void trace(counters::trace_kind kind,
             std::uint64_t subject = 0,
             const void* label = nullptr) noexcept {
    if (ring_ != nullptr) [[unlikely]] {
      write_trace(kind, counters::ticks_now(), subject, label);
    }
  }

 private:
  void set_left(std::uint64_t left) noexcept;
  void hold(bool is_next_timed) noexcept;
  void draw(std::uint64_t now_ticks) noexcept;
  void adapt_period(std::uint64_t now_ticks) noexcept;
  void note_gap(std::uint64_t now_ticks) noexcept;
  void note_window(double num_gaps, double ticks) noexcept;
  [[gnu::cold]] void close_window() noexcept;
  void stop_timing_calls(timed_task& of, std::uint64_t now_ticks) const noexcept;
  void record(const timed_task& body, std::uint64_t all_ticks) noexcept;
  void record_label(const timed_task& body, std::uint64_t own_ticks) noexcept;
  [[nodiscard]] bool was_disturbed(std::uint64_t ticks) noexcept;
  void write_trace(counters::trace_kind kind,
                   std::uint64_t ticks,
                   std::uint64_t subject,
                   const void* label) noexcept;

  std::uint64_t left_ = 0;  // tasks until `count` returns true; read by other threads
  counters::worker_block& block_;
  counters::trace_ring* const ring_;  // null: nothing is recorded
  timed_task* innermost_ = nullptr;   // the innermost timed task that runs here
  std::uint64_t until_draw_ = 0;      // replaces `left_` while `is_holding_`
  std::uint64_t last_end_ticks_ = 0;
  std::uint64_t last_draw_ticks_ = 0;
  std::uint64_t num_drawn_from_ = 1;
  timing_cost cost_;
  double mean_ticks_ = 0;  // a moving mean
  long num_preemptions_ = 0;
  std::uint32_t period_ = 4;  // short, so that programs with few tasks get samples, too
  std::uint32_t random_;
  std::uint32_t loop_runs_ = 0;
  std::uint32_t loop_runs_published_ = 0;
  std::uint32_t loop_runs_at_end_ = 0;
  // timed tasks that ended or paused; after some of them the gap is measured
  std::uint32_t num_looped_ = 0;
  timing_mode mode_;
  bool is_delay_requested_ = false;
  bool are_delays_affordable_ = false;
  bool is_holding_ = false;  // the next task is timed even if it is not drawn
};

}  // namespace weft::tasks::detail
