// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parks and wakes workers.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

#include <sched.h>

#include "weft/counters/ticks.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/scheduler/disturb.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"

#include "tasks/scheduler/scheduler.hpp"
#include "tasks/scheduler/search_time.hpp"
#include "tasks/scheduler/visit_word.hpp"
#include "tasks/waiting/futex.hpp"

namespace weft::tasks::detail {
namespace {

constexpr std::size_t stacks_kept_parked = 4;
// A thread that holds a place for one to two of these periods no longer counts as visiting. The
// period is much longer than waking a worker takes.
constexpr auto place_check_period = std::chrono::milliseconds(2);
constexpr int most_quiet_checks = 50;

}  // namespace

/// Records the time from the wake to now.
void scheduler::note_park_latency(worker& w) noexcept {
  using histogram = counters::tick_histogram<counters::cell>;
  const std::uint64_t woken_at = std::exchange(w.woken_at_ticks, 0);
  const std::uint64_t now = w.count->state_since_ticks.value();
  if (woken_at != 0 && now >= woken_at) {
    w.count->histograms.park_latency.weight[histogram::bucket_of(now - woken_at)].add(1);
  }
}

bool scheduler::park(worker& w) noexcept {
  begin_park(w);
  disturb();
  ask_others(w, request::sleepers);
  barrier_();
  disturb();
  // A thread that starts a task after this point sees the request and wakes a parked worker. A task
  // started before is seen here.
  if ((is_work_left(w) && !leaves_out(safety_step::park_recheck)) || must_retire(w) ||
      is_stopping_.load(std::memory_order_seq_cst)) {
    cancel_park(w);
    return is_stopping_.load(std::memory_order_seq_cst);
  }
  return sleep(w);
}

/// Parks if there are at least as many visitors as parked workers, `w` included. Unlike park() it
/// ignores work in deques: the visitors do that work.
/// True: the runtime stops.
bool scheduler::yield_to_visitor(worker& w) noexcept {
  begin_park(w);
  disturb();
  ask_others(w, request::sleepers);
  barrier_();
  if (!defer_wake() || !is_queue_empty() || must_retire(w) ||
      is_stopping_.load(std::memory_order_seq_cst)) {
    cancel_park(w);
    return is_stopping_.load(std::memory_order_seq_cst);
  }
  return sleep(w);
}

/// Sleeps until another thread wakes `w`, for which `begin_park` was called. True: the runtime
/// stops.
bool scheduler::sleep(worker& w) noexcept {
  w.count->parks.add(1);
  w.stacks.keep_at_most(stacks_kept_parked);
  change_state(w, counters::worker_state::parked);
  w.clock.trace(counters::trace_kind::park);
  note_sleep(1);
  const auto since = std::chrono::steady_clock::now();
  watch_held_places(w);
  while (w.park_word.load(std::memory_order_acquire) == 1) {
    futex_wait(w.park_word, 1);
  }
  num_asleep_.fetch_sub(1, std::memory_order_seq_cst);
  wait_for_description();
  change_state(w, counters::worker_state::searching);
  w.count->wakes.add(1);
  w.clock.trace(counters::trace_kind::wake);
  note_park_latency(w);
  const auto slept = std::chrono::steady_clock::now() - since;
  w.search_us =
      next_search_us(w.search_us,
                     w.is_woken_for_optional,
                     slept,
                     {.shortest_us = shortest_search_here_us(), .longest_us = longest_search()});
  leave_offering_cpu();
  return is_stopping_.load(std::memory_order_seq_cst);
}

/// While threads hold places, one parked worker wakes every `place_check_period`. It stops counting
/// threads that have held their places since its previous check. It then leaves the idle list to
/// run their tasks.
void scheduler::watch_held_places(worker& w) noexcept {
  if ((num_started_in_places() == w.num_started_seen && !is_any_holder_counted()) ||
      is_watching_places_.exchange(true, std::memory_order_seq_cst)) {
    return;
  }
  bool is_any_late = false;
  int num_quiet = 0;
  while (w.park_word.load(std::memory_order_acquire) == 1 && num_quiet < most_quiet_checks &&
         !is_any_late) {
    futex_wait(w.park_word, 1, place_check_period);
    is_any_late = stop_counting_late_holders();
    const std::uint64_t num_now = num_started_in_places();
    num_quiet = std::exchange(w.num_started_seen, num_now) == num_now ? num_quiet + 1 : 0;
  }
  is_watching_places_.store(false, std::memory_order_seq_cst);
  // A thread that takes a place after this point wakes a worker.
  const visit_word now = visits();
  if (is_any_late || now.num_visiting() != 0) {
    cancel_park(w);
  }
  if (now.has_deferred_wake() && is_any_holder_counted()) {
    wake_one(true);  // this worker watches the places next
  }
}

void scheduler::note_offering_cpu() noexcept {
  const int here = sched_getcpu();
  if (offering_cpu_.load(std::memory_order_relaxed) !=
      here) {  // read first: searching workers read this word all the time
    offering_cpu_.store(here, std::memory_order_relaxed);
  }
}

/// Leaves the CPU of a thread that offered work and is still working. The kernel may have put this
/// worker there when it was woken, and the two would only alternate.
void scheduler::leave_offering_cpu() noexcept {
  const int here = sched_getcpu();
  int offering = offering_cpu_.load(std::memory_order_relaxed);
  if (offering != here || here < 0 ||
      !offering_cpu_.compare_exchange_strong(offering, -1, std::memory_order_relaxed)) {
    return;
  }
  cpu_set_t all;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2) {
    return;
  }
  cpu_set_t others = all;
  CPU_CLR(static_cast<std::size_t>(here), &others);
  if (sched_setaffinity(0, sizeof others, &others) == 0 &&  // moves at once
      sched_setaffinity(0, sizeof all, &all) != 0) {
    std::memset(&all, 0xff, sizeof all);  // the cpuset has changed meanwhile: take all its CPUs
    sched_setaffinity(0, sizeof all, &all);
  }
}

bool scheduler::is_work_left(const worker& but) noexcept {
  if (!is_queue_empty()) {
    return true;
  }
  return any_other(but, [](worker& other) { return !other.tasks.looks_empty(); });
}

void scheduler::begin_park(worker& w) noexcept {
  w.park_word.store(1, std::memory_order_relaxed);
  const int cpu = sched_getcpu();
  const std::lock_guard guard(idle_lock_);
  w.parked_on_cpu = cpu;
  w.next_idle = idle_;
  w.idle_link = &idle_;
  if (idle_ != nullptr) {
    idle_->idle_link = &w.next_idle;
  }
  idle_ = &w;
  num_idle_.fetch_add(1, std::memory_order_seq_cst);
}

/// Takes `w` out of the idle list, whatever its length. Call it under the lock of the list.
void scheduler::unlink_idle(worker& w) noexcept {
  *w.idle_link = w.next_idle;
  if (w.next_idle != nullptr) {
    w.next_idle->idle_link = w.idle_link;
  }
  w.idle_link = nullptr;
  num_idle_.fetch_sub(1, std::memory_order_seq_cst);
}

/// Takes `w` out of the idle list. False: it is not there.
bool scheduler::leave_idle_list(worker& w) noexcept {
  const std::lock_guard guard(idle_lock_);
  if (w.idle_link == nullptr) {
    return false;
  }
  unlink_idle(w);
  return true;
}

void scheduler::cancel_park(worker& w) noexcept {
  if (leave_idle_list(w)) {
    w.park_word.store(0, std::memory_order_relaxed);
    return;
  }
  // another thread is waking this worker
  while (w.park_word.load(std::memory_order_acquire) == 1) {
    spin_pause();
  }
}

void scheduler::wake_one(bool is_for_optional) noexcept {
  if (num_idle_.load(std::memory_order_seq_cst) == 0) {
    return;
  }
  worker* sleeper = nullptr;
  {
    const int here = sched_getcpu();
    const std::lock_guard guard(idle_lock_);
    sleeper = idle_;
    // The kernel often wakes a thread on the CPU where it slept. On the caller's CPU it would
    // displace the caller.
    while (sleeper != nullptr && sleeper->parked_on_cpu == here) {
      sleeper = sleeper->next_idle;
    }
    sleeper = sleeper != nullptr ? sleeper : idle_;
    if (sleeper == nullptr) {
      return;
    }
    unlink_idle(*sleeper);
  }
  wake(*sleeper, is_for_optional);
  if (worker* w = self(); w != nullptr && w->home == this) {
    w->count->wakes_sent.add(1);
  }
}

/// Wakes a worker that the caller has taken out of the idle list.
void scheduler::wake(worker& sleeper, bool is_for_optional) noexcept {
  disturb();
  sleeper.woken_at_ticks = counters::ticks_now();
  sleeper.is_woken_for_optional = is_for_optional;
  sleeper.park_word.store(0, std::memory_order_release);
  futex_wake(sleeper.park_word);
}

/// Wakes the parked workers with an index from `count` on, so that they retire.
void scheduler::wake_surplus(unsigned count) noexcept {
  for (const auto& w : started().subspan(count)) {
    if (leave_idle_list(*w)) {
      wake(*w, false);
    }
  }
}

void scheduler::note_sleep(std::uint32_t count) noexcept {
  num_asleep_.fetch_add(count, std::memory_order_seq_cst);
  futex_wake(num_asleep_);
}

}  // namespace weft::tasks::detail
