// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches for tasks when a worker's own deque is empty.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <sched.h>

#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

#include "tasks/scheduler/progress_poller.hpp"
#include "tasks/scheduler/scheduler.hpp"
#include "tasks/scheduler/search_time.hpp"
#include "tasks/scheduler/visit_word.hpp"

namespace weft::tasks::detail {
namespace {

using clock = std::chrono::steady_clock;

// A thief waits this long for a victim to publish before it does so itself. A fine-grained program
// answers sooner, and an idle processor costs more.
constexpr auto force_after = std::chrono::nanoseconds(1500);
constexpr unsigned rounds_between_clock_reads = 8;

/// If the loop of `w` has run nothing since the last join, `w` still waits at that join.
steal_times steal_times_of(worker& w) noexcept {
  const stolen_join join = std::exchange(w.last_join, {});
  steal_times times{.found_at = w.found_at,
                    .stolen_from_at = clock::time_point(
                        clock::duration(w.stolen_from_at.load(std::memory_order_relaxed)))};
  if (w.clock.num_loop_runs() == join.loop_runs + 1) {
    times.joined_at = join.begun;
  }
  return times;
}

}  // namespace

task* scheduler::search(worker& w) noexcept {
  change_state(w, counters::worker_state::searching);
  w.clock.trace(counters::trace_kind::search);
  for (;;) {
    if (must_retire(w)) [[unlikely]] {
      retire(w);
    }
    if (task* t = timed_search(w)) {
      change_state(w, counters::worker_state::executing);
      wake_another(w);
      return t;
    }
    if (w.visits_for != nullptr || (has_surplus_searcher() ? yield_to_visitor(w) : park(w))) {
      return nullptr;
    }
  }
}

/// Does not steal for a while if the last steals gained little. A task from outside ends the pause.
void scheduler::back_off(worker& w) const noexcept {
  const auto begin = clock::now();
  w.back_off = next_back_off(w.back_off, gained_by(steal_times_of(w), begin));
  const auto end = begin + w.back_off;
  while (clock::now() < end && is_queue_empty() && !is_visit_over(w)) {
    spin_pause();
  }
}

/// Polls if `polled` is not null, and takes a task that the poll started.
task* scheduler::poll_and_take(worker& w, progress_poller* polled) noexcept {
  if (polled == nullptr) {
    return nullptr;
  }
  // A round of search costs as much as a poll.
  constexpr int polls_per_round = 3;
  for (int i = 0; i < polls_per_round && !polled->poll(); ++i) {
  }
  return w.tasks.pop();  // always: no other worker wakes for the tasks that the poll started
}

/// Searches until there is a task, or `w` has searched long enough (null). If there are progress
/// sources, one searching worker polls them, and continues while events are likely.
task* scheduler::timed_search(worker& w) noexcept {
  progress_poller* const polled = poller();
  const bool watches = polled != nullptr && w.visits_for == nullptr && polled->begin_watch();
  task* const found = timed_search(w, watches ? polled : nullptr);
  if (watches) {
    polled->end_watch();
  }
  return found;
}

/// True if `w` shall continue to search.
bool scheduler::has_search_time(const worker& w,
                                progress_poller* watch,
                                const search_times& times) const noexcept {
  if (watch != nullptr && watch->is_polled_outside()) {
    return false;  // a thread that waits polls instead
  }
  return times.now - times.begin < std::chrono::microseconds(w.search_us) ||
         (watch != nullptr && watch->is_event_likely(times.now) && !must_retire(w) &&
          !is_stopping_.load(std::memory_order_relaxed));
}

/// Reads the clock, and asks other workers for tasks. False: a visitor replaces `w`.
bool scheduler::ask_in_search(worker& w, progress_poller* watch, search_times& times) noexcept {
  ask_others(w, request::publish);
  times.now = clock::now();
  if (watch != nullptr) {
    watch->note_polled(times.now);
  }
  if (times.now > times.force_at) {
    force_others(w);
    times.force_at = times.now + (times.now - times.begin);
  }
  if (w.visits_for != nullptr) {
    return true;
  }
  leave_offering_cpu();
  // Only after several rounds, because each new visit writes the cache line that this reads.
  return !has_surplus_searcher();
}

task* scheduler::timed_search(worker& w, progress_poller* watch) noexcept {
  constexpr unsigned rounds_between_yields = 16;
  if (watch == nullptr) {
    back_off(w);
  }
  const auto begin = clock::now();
  search_times times{.begin = begin, .now = begin, .force_at = begin + force_after};
  for (unsigned round = 1; has_search_time(w, watch, times); ++round) {
    task* t = poll_and_take(w, watch);
    t = t == nullptr ? search_once(w) : t;
    if (t != nullptr) {
      w.found_at = clock::now();
      return t;
    }
    if (watch == nullptr) {
      spin_pause();
    } else if (round % rounds_between_yields == 0) {
      sched_yield();  // other processes of the same job may share this processor
    }
    if (is_visit_over(w)) [[unlikely]] {
      return nullptr;
    }
    if (round % rounds_between_clock_reads == 1 && !ask_in_search(w, watch, times)) [[unlikely]] {
      return nullptr;
    }
  }
  return nullptr;
}

/// Searches once for a worker that cannot leave the stack it waits on. `num_failed`: failed
/// searches in a row.
task* scheduler::search_while_waiting(worker& w, unsigned num_failed) noexcept {
  constexpr unsigned searches_between_forces = 16;
  if (task* t = w.tasks.pop()) {
    return t;
  }
  if (task* t = search_once(w)) {
    wake_another(w);
    return t;
  }
  if (num_failed % rounds_between_clock_reads == 1) {
    ask_others(w, request::publish);
  }
  if (num_failed % searches_between_forces == searches_between_forces - 1) {
    force_others(w);
  }
  return nullptr;
}

void scheduler::begin_failed_searches(worker& w) noexcept {
  change_state(w, counters::worker_state::searching);
  if (w.visits_for != nullptr) {
    // this visitor will start nothing
    visits_.fetch_add(visit_word::one_idle, std::memory_order_seq_cst);
    return;
  }
  num_failing_.fetch_add(1, std::memory_order_seq_cst);
}

void scheduler::end_failed_searches(worker& w) noexcept {
  if (w.visits_for != nullptr) {
    visits_.fetch_sub(visit_word::one_idle, std::memory_order_seq_cst);
  } else {
    num_failing_.fetch_sub(1, std::memory_order_seq_cst);
  }
  change_state(w, counters::worker_state::executing);
}

/// Searches for a worker that has no room to run a task. Returns a ready waiter, and passes other
/// tasks on through the runtime's queue.
task* scheduler::find_ready_waiter(worker& w) noexcept {
  while (task* t = w.tasks.pop()) {
    if (is_ready_waiter(*t)) {
      return t;
    }
    inject(*t);
  }
  constexpr int most_tasks = 64;
  for (int i = 0; i < most_tasks; ++i) {
    task* t = search_once(w);
    if (t == nullptr) {
      return nullptr;
    }
    wake_another(w);
    if (is_ready_waiter(*t)) {
      return t;
    }
    inject(*t);
  }
  return nullptr;
}

/// Looks once into every queue and deque that may hold a task.
task* scheduler::search_once(worker& w) noexcept {
  // A visitor serves its own wait. It takes no tasks from the queues, because those may take long.
  const bool is_visitor = w.visits_for != nullptr;
  task* t = !is_visitor && has_high() ? take_from(high_, w) : nullptr;
  if (t == nullptr) {
    t = steal_from_others(w);
  }
  if (t == nullptr && !is_visitor) {
    t = take_injected(w);
  }
  if (t == nullptr && !is_visitor) {
    t = take_from(low_, w);
  }
  return t;
}

/// Tries to steal once from each other deque: nearest group first, or all from a random one on.
task* scheduler::steal_from_others(worker& w) noexcept {
  w.random = w.random * 1664525U + 1013904223U;  // Numerical Recipes' linear congruential generator
  const std::uint32_t dice = w.random >> 16;
  const worker_list all = present();
  if (w.index < victims_.size() && all.size() <= victims_.size()) {
    for (const std::vector<int>& group : victims_[w.index]) {
      for (std::size_t i = 0; i < group.size(); ++i) {
        const auto victim = static_cast<std::size_t>(group[(dice + i) % group.size()]);
        if (task* t = victim < all.size() ? steal_from(w, *all[victim]) : nullptr) {
          return t;
        }
      }
    }
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (task* t = steal_from(w, *all[(dice + i) % all.size()])) {
        return t;
      }
    }
  }
  for (const auto& victim : visitors()) {
    if (task* t = steal_from(w, *victim)) {
      return t;
    }
  }
  return nullptr;
}

task* scheduler::steal_from(worker& w, worker& victim) noexcept {
  if (&victim == &w || !victim.tasks.has_public()) {
    return nullptr;
  }
  w.count->steals_tried.add(1);
  const bool is_searching = w.count->state() == counters::worker_state::searching;
  if (is_searching) {
    change_state(w, counters::worker_state::stealing);
  }
  task* t = victim.tasks.steal();
  if (is_searching) {
    change_state(w, counters::worker_state::searching);
  }
  if (t == nullptr) {
    w.count->steals_lost.add(1);
    return nullptr;
  }
  w.count->steals_won.add(1);
  victim.stolen_from_at.store(clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  w.clock.trace(counters::trace_kind::steal, victim.index);
  if (!victim.tasks.has_public()) {
    // Makes the victim publish its next push at once, since this worker may soon search again.
    victim.tasks.ask(request::publish);
  }
  return t;
}

void scheduler::ask_others(const worker& but, std::uint32_t what) noexcept {
  any_other(but, [what](worker& other) {
    other.tasks.ask(what);
    return false;
  });
}

void scheduler::force_others(worker& w) noexcept {
  if (any_other(w, [this](worker& victim) { return victim.tasks.force_publish(barrier_); })) {
    w.count->forced_publications.add(1);
  }
}

/// Wakes another worker after this one has found work, because there may be more.
void scheduler::wake_another(worker& w) noexcept {
  // Pairs with the fence of a thread that queues a task and wakes no worker because this one
  // searches.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (num_idle_.load(std::memory_order_relaxed) == 0) {
    return;
  }
  if (!is_queue_empty()) {  // visitors take nothing from the queue
    wake_one(w.is_woken_for_optional);
    return;
  }
  if (visit_word{visits_.load(std::memory_order_relaxed)}.num_visiting() != 0 &&
      are_visitors_enough() && may_defer_wakes()) {
    w.tasks.ask(request::sleepers);  // answered after the visitors have left
    return;
  }
  ask_others(w, request::sleepers);
  w.tasks.ask(request::sleepers);
  if (is_work_left(w) || !w.tasks.looks_empty()) {
    wake_to_share(
        // more optional work is as likely as the kind that this worker was woken for
        w.is_woken_for_optional);
  }
}

}  // namespace weft::tasks::detail
