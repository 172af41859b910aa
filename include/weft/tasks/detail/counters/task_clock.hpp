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

/// How a task came to run.
enum class run_kind : std::uint8_t {
  called,  // by who would have waited for it
  looped,  // taken by the worker's loop, which goes on with the next one
  grouped  // taken by the loop of who made its group
};

/// Units: ticks.
struct timing_cost {
  [[nodiscard]] std::uint64_t& added_to(run_kind how) noexcept {
    return added_ticks[static_cast<std::size_t>(how)];
  }

  std::array<std::uint64_t, 3> added_ticks{};  // to what is measured, by the kind of run
  std::uint64_t cost_ticks = 256;              // of timing a task
};

/// The timing of one body, in the frame around it.
struct timed_task {
  const void* subject = nullptr;  // the task
  const void* label = nullptr;    // the address of the task's function
  run_kind kind = run_kind::called;

  timed_task* outer = nullptr;  // which runs this one as a call
  std::uint64_t arrival_ticks = 0;
  std::uint64_t begin_ticks = 0;
  std::uint64_t paused_before_ticks = 0;
  std::uint64_t called_ticks = 0;   // in the tasks that it ran as calls and that were timed
  std::uint64_t covered_ticks = 0;  // from its begin until these were no longer timed; 0: all were
  std::uint32_t weight = 0;         // how many tasks it stands for; 0: it was not drawn
  std::uint32_t calls_left = 0;     // to be timed
  bool times_calls = false;
};

/// Counts a worker's tasks down to the next one that is timed.
///
/// The count and the test for that are one decrement and one branch. Of `period` tasks, one is
/// drawn at random and stands for all of them. It is timed without those that it runs as calls, of
/// which the first few are timed, too. The period is chosen so that timing takes a small part of
/// the worker's time: where tasks are long it is 1.
///
/// Threads: the worker's own.
/// Example: tests/tasks/task_clock_test.cpp: what_was_drawn_stands_for_all.
class task_clock {
 public:
  task_clock(counters::worker_block& block, timing_mode mode, std::uint32_t seed) noexcept;
  /// `ring` null: nothing is recorded.
  task_clock(counters::worker_block& block,
             timing_mode mode,
             std::uint32_t seed,
             counters::trace_ring* ring) noexcept;
  task_clock(const task_clock&) = delete;
  task_clock& operator=(const task_clock&) = delete;
  /// Learns what timing adds to what it measures, and costs; otherwise that counts as nothing.
  /// Threads: the worker's thread, which has a stack and runs no task yet.
  /// Errors:  std::bad_alloc.
  void calibrate();

  /// Leaves the number of tasks in the block, which others may then have.
  void finish() noexcept;

  /// Counts a task that is about to run here. True: it goes between `begin` and `end`.
  [[gnu::always_inline]] bool count() noexcept {
#if defined(WEFT_COUNTERS_OFF)
    return false;
#elif defined(__x86_64__) && !defined(WEFT_COUNTS_BY_ATOMICS)
    // Of the form below compilers make a load, a subtraction, a store and a comparison.
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
  /// A task that was counted before only resumes.
  void uncount() noexcept;

  /// Around the body of a task; it may end on another worker than it began on.
  void begin(timed_task& body, const stack& here) noexcept;
  void end(timed_task& body, const stack& here) noexcept;

  /// The time at which the running task leaves the worker, and at which it resumes, perhaps on
  /// another one.
  struct pause {
    timed_task* body = nullptr;
    std::uint64_t since_ticks = 0;
  };
  [[nodiscard]] pause begin_pause(const stack& here) noexcept;
  void end_pause(const pause& from, stack& here) noexcept;

  /// Counts what the worker's loop takes, modulo 2^32.
  std::uint32_t count_loop_run() noexcept { return ++loop_runs_; }
  [[nodiscard]] std::uint32_t num_loop_runs() const noexcept { return loop_runs_; }
  /// The next task is not the one that the loop would have run after its last task.
  void break_window() noexcept { last_end_ticks_ = 0; }
  /// The worker's loop, or that of a group's maker, ends here, and what ran since its last timed
  /// task ran one after the other.
  void end_window() noexcept {
    if (last_end_ticks_ != 0) [[unlikely]] {
      close_window();
    }
  }
  /// Lets readers in other processes see the counts.
  void publish() noexcept;

  /// True now and then, once: the delay of the next task that the worker queues is to be measured.
  [[nodiscard]] bool take_delay_request() noexcept {
    return std::exchange(is_delay_requested_, false);
  }
  void note_delay(std::uint64_t since_ticks) noexcept;

  /// True if what happens here is recorded.
  [[nodiscard]] bool is_traced() const noexcept { return ring_ != nullptr; }
  /// Records an event, if events are recorded.
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

  std::uint64_t left_ = 0;  // tasks until `count` says true; read by others
  counters::worker_block& block_;
  counters::trace_ring* const ring_;  // null: nothing is recorded
  timed_task* innermost_ = nullptr;   // of those that run here
  std::uint64_t until_draw_ = 0;      // while `is_holding_`, instead of `left_`
  std::uint64_t last_end_ticks_ = 0;
  std::uint64_t last_draw_ticks_ = 0;
  std::uint64_t num_drawn_from_ = 1;
  timing_cost cost_;
  double mean_ticks_ = 0;  // of late
  long num_preemptions_ = 0;
  std::uint32_t period_ = 4;  // short, so that programs with few tasks know something, too
  std::uint32_t random_;
  std::uint32_t loop_runs_ = 0;
  std::uint32_t loop_runs_published_ = 0;
  std::uint32_t loop_runs_at_end_ = 0;
  std::uint32_t num_looped_ = 0;  // that ended or paused, for a look at the gap after some
  timing_mode mode_;
  bool is_delay_requested_ = false;
  bool are_delays_affordable_ = false;
  bool is_holding_ = false;  // the next task is timed whether it is drawn or not
};

}  // namespace weft::tasks::detail
