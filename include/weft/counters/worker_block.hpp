// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts of one worker: written by that worker alone, read by any thread.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

#if defined(WEFT_COUNTERS_OFF)
WEFT_NEEDS_LIBRARY(_without_counters);
#else
WEFT_NEEDS_LIBRARY(_with_counters);
#endif

namespace weft::counters {

/// A 64-bit count with one writer and any number of readers.
///
/// Cost:    `add` is a load, an addition and a store: nothing is locked, no line is shared for
///          writing.
/// Threads: `add` and `set` from one thread at a time; `value` from any, and for one reader it
///          never goes down unless `set` made it.
class cell {
 public:
  void add(std::uint64_t amount = 1) noexcept { set(value() + amount); }
  void set(std::uint64_t amount) noexcept {
#if !defined(WEFT_COUNTERS_OFF)
    count_.store(amount, std::memory_order_relaxed);
#else
    static_cast<void>(amount);
#endif
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  // relaxed everywhere: a count orders nothing but itself
  std::atomic<std::uint64_t> count_{0};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "readers may be other processes");
};

/// A number with one writer and any number of readers, for sums of weighted samples.
class real_cell {
 public:
  void add(double amount) noexcept { set(value() + amount); }
  void set(double amount) noexcept { number_.store(amount, std::memory_order_relaxed); }
  [[nodiscard]] double value() const noexcept { return number_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> number_{0};  // relaxed, as in `cell`
  static_assert(std::atomic<double>::is_always_lock_free, "readers may be other processes");
};

/// The least number of a visitor: a thread from outside while it works in a worker's place.
inline constexpr std::uint32_t first_visitor = 1U << 15U;

/// `worker-thread#3` or, of a visitor, `visitor#0`, with `worker` and `between` as given.
[[nodiscard]] inline std::string name_of_worker(std::uint32_t number,
                                                const char* worker,
                                                const char* between) {
  return number < first_visitor
             ? worker + (between + std::to_string(number))
             : std::string("visitor") + between + std::to_string(number - first_visitor);
}

// The only list of the counts of a worker. A row is a member of `worker_counts`, a field of the
// segment, and, if it has a help text, the counter /threads/count/NAME. To add one, add a row, and
// `count->NAME.add()` where it happens. In a block, `tasks_executed` is as of its last change;
// `read_block` is exact. Ticks are of the worker's clock, for completed stays in a `worker_state`.
// clang-format off
#define WEFT_WORKER_COUNTS(row) \
  row(tasks_executed, "", "") \
  row(loop_runs, "", \
      "Tasks and waits that were over which workers took from a queue, rather than ran as a plain call.") \
  row(yields, "", \
      "Times that a task let others go first.") \
  row(injected, "", \
      "Tasks taken from the runtime's own queue, which holds those that came from outside.") \
  row(steals_tried, "", \
      "Attempts to take a task from a worker that had some to share.") \
  row(steals_won, "", \
      "Attempts to take another worker's task that got one.") \
  row(steals_lost, "", \
      "Attempts to take another worker's task that somebody else was faster at.") \
  row(publications, "", \
      "Times that a worker published tasks of its own, so that thieves can steal them.") \
  row(tasks_published, "", \
      "Tasks that a worker made available to thieves.") \
  row(forced_publications, "", \
      "Times that a worker published another one's tasks, which did not answer when asked.") \
  row(suspensions, "", \
      "Times that a task was suspended.") \
  row(resumes, "", \
      "Times that a suspended task was resumed.") \
  row(direct_resumes, "", \
      "Resumes by the worker that completed the awaited event, without a queue in between.") \
  row(stack_switches, "", \
      "Times that a worker went on on another stack.") \
  row(stacks_acquired, "", \
      "Times that a worker took a stack that nothing ran on.") \
  row(mutex_contended, "", \
      "Times that a task found a mutex locked.") \
  row(parks, "", \
      "Times that a worker went to sleep, for it found nothing to do.") \
  row(wakes, "", \
      "Times that a worker was woken.") \
  row(wakes_sent, "", \
      "Times that a worker woke another one.") \
  row(ticks_executing, "ticks", "") \
  row(ticks_searching, "ticks", "") \
  row(ticks_stealing, "ticks", "") \
  row(ticks_parked, "ticks", "")
// clang-format on

/// The counts per worker: `Count` is `cell` in a block and `std::uint64_t` in a sum.
template <class Count>
struct worker_counts {
#define WEFT_WORKER_COUNT(name, unit, help) Count name{};
  WEFT_WORKER_COUNTS(WEFT_WORKER_COUNT)
#undef WEFT_WORKER_COUNT
};

/// Every member of `worker_counts`, in order of declaration.
template <class Count>
inline constexpr std::array worker_count_members = {
#define WEFT_WORKER_COUNT(name, unit, help) &worker_counts<Count>::name,
    WEFT_WORKER_COUNTS(WEFT_WORKER_COUNT)
#undef WEFT_WORKER_COUNT
};

/// Name, unit and help of a count that each worker keeps.
struct worker_count_row {
  std::string_view name;
  std::string_view unit;
  std::string_view help;  // of the counter called so; empty: there is none
};

/// The same order.
inline constexpr std::array worker_count_rows = {
#define WEFT_WORKER_COUNT(name, unit, help) worker_count_row{#name, unit, help},
    WEFT_WORKER_COUNTS(WEFT_WORKER_COUNT)
#undef WEFT_WORKER_COUNT
};
#undef WEFT_WORKER_COUNTS

/// Sums over workers.
using worker_totals = worker_counts<std::uint64_t>;

/// Sums over samples of tasks, each with the number of tasks it stands for as its weight w.
template <class Real>
struct duration_sums {
  Real num{};        // of samples
  Real weight{};     // w
  Real ticks{};      // w d
  Real weight2{};    // w^2
  Real ticks_w2{};   // w^2 d
  Real ticks2_w2{};  // w^2 d^2
};

/// Sums over samples, in ticks: `Real` is `real_cell` in a block and `double` in a sum.
template <class Real>
struct sample_sums {
  duration_sums<Real> task;  // in the body, without the tasks that it ran as calls
  duration_sums<Real> loop;  // from begin to end of those that a loop took
  // from the end of a timed task to the begin of the next one that the same loop took
  Real num_gaps{};
  Real gap_ticks{};
  // from the end of a timed task to the begin of the next timed one; tasks and gaps between
  Real window_tasks{};
  Real window_gaps{};
  Real window_ticks{};
  Real disturbed{};  // samples dropped: the thread was off its CPU meanwhile
};

/// How often a number of ticks fell into which range: four ranges to each doubling.
template <class Count>
struct tick_histogram {
  static constexpr std::size_t num_buckets = 168;  // the last one takes what is longer
  std::array<Count, num_buckets> weight{};

  static constexpr std::size_t bucket_of(std::uint64_t ticks) noexcept {
    if (ticks < 4) {
      return static_cast<std::size_t>(ticks);
    }
    const auto octave = static_cast<std::size_t>(std::bit_width(ticks)) - 1;
    const auto quarter = static_cast<std::size_t>(ticks >> (octave - 2)) & 3;
    const std::size_t bucket = ((octave - 1) * 4) + quarter;
    return bucket < num_buckets ? bucket : num_buckets - 1;
  }
  /// Where a bucket begins; it ends where the next one begins.
  static constexpr std::uint64_t lower(std::size_t bucket) noexcept {
    return bucket < 4 ? bucket : (4 + std::uint64_t{bucket % 4}) << ((bucket / 4) - 1);
  }
};

/// The measured durations, in ticks.
template <class Count>
struct worker_histograms {
  tick_histogram<Count> task_duration;  // in the body, without the tasks that it ran as calls
  tick_histogram<Count> queue_delay;    // from a task's start to its begin
  tick_histogram<Count> park_latency;   // from a wake sent to the worker's going on
};

/// The time that tasks of one kind took.
struct label_slot {
  static constexpr std::uint64_t others = ~std::uint64_t{0};  // all that found no slot of their own

  cell function;     // the address of their function, or `others`; 0: this slot is free
  real_cell weight;  // how many, estimated
  real_cell ticks;   // in their bodies, estimated
};

/// `absent`: no worker counts here, and no time is charged.
enum class worker_state : std::uint8_t { executing, searching, stealing, parked, absent };

/// Says what the memory holds, for readers that did not create it.
struct worker_block_header {
  static constexpr std::uint64_t expected_magic = 0x4b4c424b52574657;  // "WFWRKBLK" in memory
  static constexpr std::uint32_t current_version = 2;

  std::uint64_t magic = expected_magic;
  std::uint32_t version = current_version;
  std::uint32_t size_bytes = 0;
  std::uint32_t pool = 0;
  std::uint32_t worker = 0;
};

/// The counters of one worker. `block_registry` assigns blocks.
///
/// While `change` is odd the worker changes several related numbers. A reader that sees the same
/// even value before and after has read a consistent set. Histograms and labels are not protected
/// by it.
/// Example: tests/counters/worker_block_test.cpp: a_state_is_charged_when_it_is_left.
struct alignas(128) worker_block : worker_block_header, worker_counts<cell> {
  static constexpr std::size_t num_labels = 32;

  worker_block() noexcept : worker_block_header{.size_bytes = sizeof(worker_block)} {}

  /// Charges the ticks since the last change of state to the state that is left.
  ///
  /// Units:   `now_ticks` from the worker's own clock, the same one every time.
  /// Threads: the worker; so are `start` and every `add`.
  void enter(worker_state next, std::uint64_t now_ticks) noexcept {
    begin_change();
    if (cell* ticks = ticks_in(state())) {
      ticks->add(now_ticks - state_since_ticks.value());
    }
    start(next, now_ticks);
    end_change();
  }
  /// Begins the first state of a worker that has just got this block: charges nothing.
  void start(worker_state first, std::uint64_t now_ticks) noexcept {
    state_since_ticks.set(now_ticks);
    state_.store(first, std::memory_order_relaxed);
  }
  [[nodiscard]] worker_state state() const noexcept {
    return state_.load(std::memory_order_relaxed);
  }
  /// The address of that, for code that describes the block's memory to others.
  [[nodiscard]] const std::atomic<worker_state>& state_place() const noexcept { return state_; }

  /// Around changes that belong together; not nested.
  void begin_change() noexcept {
    change.store(change.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // release: what is stored from now on shows a reader that acquires it the odd number, too
    std::atomic_thread_fence(std::memory_order_release);
  }
  void end_change() noexcept {
    // release: pairs with the acquire in read_block()
    change.store(change.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  std::atomic<std::uint64_t> change{0};
  cell state_since_ticks;
  cell queue_length;   // of the worker's deque, as of the last change
  cell thread_id;      // of the operating system; 0: not known
  cell current_label;  // the function of the timed task that began last
  cell sample_period;  // mean number of tasks per timed one; 0: none is timed

  // `tasks_issued` minus `*tasks_left`, which the worker counts down, is exactly how many tasks it
  // has executed. The address means something to the worker's own process only; null: see
  // `tasks_executed`.
  cell tasks_issued;
  std::atomic<const std::uint64_t*> tasks_left{nullptr};

  sample_sums<real_cell> samples;
  worker_histograms<cell> histograms;
  std::array<label_slot, num_labels> labels;

 private:
  cell* ticks_in(worker_state which) noexcept {
    switch (which) {
      case worker_state::executing:
        return &ticks_executing;
      case worker_state::searching:
        return &ticks_searching;
      case worker_state::stealing:
        return &ticks_stealing;
      case worker_state::parked:
        return &ticks_parked;
      case worker_state::absent:
        break;
    }
    return nullptr;
  }

  std::atomic<worker_state> state_{worker_state::absent};
};

}  // namespace weft::counters
