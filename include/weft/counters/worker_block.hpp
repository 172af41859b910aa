// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one worker counts about itself: written by that worker alone, read by anybody.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::counters {

/// A 64-bit count with one writer and any number of readers.
///
/// Cost:    `add` is a load, an addition and a store: nothing is locked, no line is shared for
///          writing.
/// Threads: `add` and `set` from one thread at a time; `value` from any, and for one reader it
/// never
///          goes down unless `set` made it.
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

/// What is counted per worker: `Count` is `cell` in a block and `std::uint64_t` in a sum.
template <class Count>
struct worker_counts {
  // tasks
  Count tasks_executed{};  // in a block as of its last change: `read_block` is exact
  Count loop_runs{};       // times that the worker's loop, or a group that waits, took one to run
  Count yields{};
  Count injected{};  // tasks taken from the runtime's own queue
  // sharing
  Count steals_tried{};
  Count steals_won{};
  Count steals_lost{};  // another thief was faster
  Count publications{};
  Count tasks_published{};
  Count forced_publications{};
  // waiting
  Count suspensions{};
  Count resumes{};
  Count direct_resumes{};  // resumes by whoever finished what was waited for
  Count stack_switches{};
  Count stacks_acquired{};
  Count mutex_contended{};
  // idling
  Count parks{};
  Count wakes{};
  Count wakes_sent{};
  // time in each `worker_state`, completed stays only, in ticks of the worker's clock
  Count ticks_executing{};
  Count ticks_searching{};
  Count ticks_stealing{};
  Count ticks_parked{};
};

/// Every member of `worker_counts`, in order of declaration.
template <class Count>
inline constexpr std::array worker_count_members = {
    &worker_counts<Count>::tasks_executed,  &worker_counts<Count>::loop_runs,
    &worker_counts<Count>::yields,          &worker_counts<Count>::injected,
    &worker_counts<Count>::steals_tried,    &worker_counts<Count>::steals_won,
    &worker_counts<Count>::steals_lost,     &worker_counts<Count>::publications,
    &worker_counts<Count>::tasks_published, &worker_counts<Count>::forced_publications,
    &worker_counts<Count>::suspensions,     &worker_counts<Count>::resumes,
    &worker_counts<Count>::direct_resumes,  &worker_counts<Count>::stack_switches,
    &worker_counts<Count>::stacks_acquired, &worker_counts<Count>::mutex_contended,
    &worker_counts<Count>::parks,           &worker_counts<Count>::wakes,
    &worker_counts<Count>::wakes_sent,      &worker_counts<Count>::ticks_executing,
    &worker_counts<Count>::ticks_searching, &worker_counts<Count>::ticks_stealing,
    &worker_counts<Count>::ticks_parked};

static_assert(worker_count_members<std::uint64_t>.size() * sizeof(std::uint64_t) ==
                  sizeof(worker_counts<std::uint64_t>),
              "worker_count_members names every count");

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

/// What is known of how long things take, in ticks.
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

/// `absent`: nobody counts here, and time is charged to nothing.
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

/// The counters of one worker. `block_registry` hands blocks out.
///
/// While `change` is odd the worker is changing several numbers that belong together; a reader that
/// saw it even, and the same before and after, saw what belongs together. Histograms and labels
/// are not under its protection.
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
  /// Where that is kept, for who describes the block's memory to others.
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
