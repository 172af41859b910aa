// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What one worker counts about itself: written by that worker alone, read by anybody.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

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
  void set(std::uint64_t amount) noexcept { count_.store(amount, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  // relaxed everywhere: a count orders nothing but itself
  std::atomic<std::uint64_t> count_{0};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "readers may be other processes");
};

/// What is counted per worker: `Count` is `cell` in a block and `std::uint64_t` in a sum.
template <class Count>
struct worker_counts {
  // tasks
  Count tasks_executed{};
  Count tasks_spawned{};
  Count yields{};
  Count injected{};  // tasks that came from threads that are no workers
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
  Count ticks_parked{};
};

/// Every member of `worker_counts`, in order of declaration.
template <class Count>
inline constexpr std::array worker_count_members = {
    &worker_counts<Count>::tasks_executed,  &worker_counts<Count>::tasks_spawned,
    &worker_counts<Count>::yields,          &worker_counts<Count>::injected,
    &worker_counts<Count>::steals_tried,    &worker_counts<Count>::steals_won,
    &worker_counts<Count>::steals_lost,     &worker_counts<Count>::publications,
    &worker_counts<Count>::tasks_published, &worker_counts<Count>::forced_publications,
    &worker_counts<Count>::suspensions,     &worker_counts<Count>::resumes,
    &worker_counts<Count>::direct_resumes,  &worker_counts<Count>::stack_switches,
    &worker_counts<Count>::stacks_acquired, &worker_counts<Count>::mutex_contended,
    &worker_counts<Count>::parks,           &worker_counts<Count>::wakes,
    &worker_counts<Count>::wakes_sent,      &worker_counts<Count>::ticks_executing,
    &worker_counts<Count>::ticks_searching, &worker_counts<Count>::ticks_parked};

static_assert(worker_count_members<std::uint64_t>.size() * sizeof(std::uint64_t) ==
                  sizeof(worker_counts<std::uint64_t>),
              "worker_count_members names every count");

/// Sums over workers.
using worker_totals = worker_counts<std::uint64_t>;

enum class worker_state : std::uint8_t { executing, searching, parked };

/// Says what the memory holds, for readers that did not create it.
struct worker_block_header {
  static constexpr std::uint64_t expected_magic = 0x4b4c424b52574657;  // "WFWRKBLK" in memory
  static constexpr std::uint32_t current_version = 1;

  std::uint64_t magic = expected_magic;
  std::uint32_t version = current_version;
  std::uint32_t size_bytes = 0;
  std::uint32_t pool = 0;
  std::uint32_t worker = 0;
};

/// The counters of one worker. `block_registry` hands blocks out.
///
/// Example: tests/counters/worker_block_test.cpp: a_state_is_charged_when_it_is_left.
struct alignas(128) worker_block : worker_block_header, worker_counts<cell> {
  worker_block() noexcept : worker_block_header{.size_bytes = sizeof(worker_block)} {}

  /// Charges the ticks since the last change of state to the state that is left.
  ///
  /// Units:   `now_ticks` from the worker's own clock, the same one every time.
  /// Threads: the worker; so are `start` and every `add`.
  void enter(worker_state next, std::uint64_t now_ticks) noexcept {
    ticks_in(state()).add(now_ticks - state_since_ticks.value());
    start(next, now_ticks);
  }
  /// Begins the first state of a worker that has just got this block: charges nothing.
  void start(worker_state first, std::uint64_t now_ticks) noexcept {
    state_since_ticks.set(now_ticks);
    state_.store(first, std::memory_order_relaxed);
  }
  [[nodiscard]] worker_state state() const noexcept {
    return state_.load(std::memory_order_relaxed);
  }

  cell state_since_ticks;

 private:
  cell& ticks_in(worker_state which) noexcept {
    switch (which) {
      case worker_state::executing:
        return ticks_executing;
      case worker_state::searching:
        return ticks_searching;
      case worker_state::parked:
        break;
    }
    return ticks_parked;
  }

  std::atomic<worker_state> state_{worker_state::searching};
};

}  // namespace weft::counters
