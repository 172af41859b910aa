// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets a thread that is not a worker run as one for the length of a call.
//
// Passing a call to a worker and waiting for its end costs two sleeps, and most calls are shorter.
// So the thread takes the place of a worker that is parked or searches, and no worker is woken for
// it. Except for moments, no more threads work than the runtime has workers. A visitor has its own
// deque, which workers steal from. While it waits it runs tasks that may end the wait, as workers
// do.
//
// A thread that starts tasks before it waits, for example in a task group, holds a place meanwhile.
// It puts the tasks into the place's deque, and counts as a visitor because it will soon be one.
// After two check periods, or while it visits elsewhere, it no longer counts. From then on no wake
// is deferred because of it, and the tasks that it starts go to the runtime's queue.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "weft/counters/block_registry.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/timing_mode.hpp"

#include "tasks/scheduler/scheduler.hpp"
#include "tasks/scheduler/search_time.hpp"
#include "tasks/scheduler/visit_word.hpp"
#include "tasks/scheduler/worker_loop.hpp"
#include "tasks/stacks/stack_overflow.hpp"

namespace weft::tasks::detail {
namespace {

constexpr std::size_t stacks_kept_between_visits = 4;

/// The data that a thread keeps between visits, because finding the bounds of its stack takes
/// longer than most visits.
struct visiting_thread {
  overflow_handler_thread_scope overflow_handler;
  stack native = make_native_stack();
  std::uint64_t number = next_number();  // unique among all threads that ever visited
  std::size_t held = 0;                  // index of the place that it held last

  static std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
};

/// Null: the bounds of the calling thread's own stack are unknown.
visiting_thread* this_thread() noexcept {
  try {
    thread_local visiting_thread kept;
    return &kept;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

/// False: a worker is awake for each CPU that has work.
bool scheduler::has_room_for_visitor(visit_word visits) const noexcept {
  const unsigned num_idle = num_idle_.load(std::memory_order_relaxed);
  const unsigned num_visiting = visits.num_visiting();
  // A searching worker yields to a visitor.
  return num_idle > num_visiting ||
         num_idle + num_searching(num_visiting - num_idle + 1) > num_visiting;
}

/// Takes a free place. Null: there is no room for the thread, or no memory.
scheduler::visitor* scheduler::begin_visit() noexcept {
  // With one worker nothing may run in parallel with a task.
  if (num_workers() == 1) {
    return nullptr;
  }
  visit_word before{visits_.load(std::memory_order_relaxed)};
  for (;;) {
    if (!has_room_for_visitor(before)) {
      return nullptr;
    }
    const unsigned free = before.free_place();
    if (free >= visitors().size()) {
      break;
    }
    // acquire: pairs with leave_place(), which the place's previous thread called
    if (visits_.compare_exchange_weak(before.bits,
                                      before.bits + visit_word::visit_in(free),
                                      std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return visitors()[free].get();
    }
  }
  try {
    return add_visitor();
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Returns the place with that index if the thread with that number holds it; else null.
scheduler::visitor* scheduler::place_held_by(std::uint64_t thread,
                                             std::size_t index) const noexcept {
  const visitor_list all = visitors();
  const bool is_held =
      index < all.size() && all[index]->holder.load(std::memory_order_relaxed) == thread;
  return is_held ? all[index].get() : nullptr;
}

worker* scheduler::hold_place() noexcept {
  visiting_thread* const thread = is_of_this_process() ? this_thread() : nullptr;
  // A thread that held two places would count twice.
  if (thread == nullptr || place_held_by(thread->number, thread->held) != nullptr) {
    return nullptr;
  }
  visitor* const place = begin_visit();
  if (place == nullptr) {
    return nullptr;
  }
  thread->held = place->index - counters::first_visitor;
  place->holder.store(thread->number, std::memory_order_relaxed);
  // seq_cst: pairs with watch_held_places(), which reads it after begin_park()
  place->counted.store(hold_counted::fresh, std::memory_order_seq_cst);
  if (!is_watching_places_.load(std::memory_order_seq_cst)) {
    wake_one(true);  // this worker watches the places, unless it finds work
  }
  // The request to wake sleepers may have been withdrawn for a wake that was deferred during a
  // visit here.
  if (!are_visitors_enough() && num_searching(1) == 0) {
    place->tasks.ask(request::sleepers);
  }
  return place;
}

void scheduler::start_in(worker& held, task& t) noexcept {
  auto& place = static_cast<visitor&>(held);
  if (place.counted.load(std::memory_order_relaxed) == hold_counted::no) {
    inject(t);
    return;
  }
  place.num_started.store(place.num_started.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
  try {
    start_here(place, t);
  } catch (const std::bad_alloc&) {
    inject(t);  // the queue needs no memory
  }
}

/// True if the thread that holds `place` counted as visiting until now. The caller then uses that
/// count, a `one_visit`, or subtracts it.
bool scheduler::stop_counting(visitor& place) noexcept {
  return place.counted.exchange(hold_counted::no, std::memory_order_acq_rel) != hold_counted::no;
}

/// Begins a visit in a place that the thread holds. False: there is no room.
bool scheduler::begin_visit_in(visitor& held) noexcept {
  if (num_workers() == 1) {
    return false;
  }
  if (stop_counting(held)) {
    return true;
  }
  if (!has_room_for_visitor(visits())) {
    return false;
  }
  visits_.fetch_add(visit_word::one_visit, std::memory_order_seq_cst);
  return true;
}

void scheduler::give_back(worker& held) noexcept {
  auto& place = static_cast<visitor&>(held);
  if (place.home == nullptr) {
    delete &place;
    return;
  }
  scheduler& home = *place.home;
  const bool is_counted = stop_counting(place);
  place.stacks.keep_at_most(stacks_kept_between_visits);
  home.publish_remaining(place);
  home.leave_place(place, is_counted);
}

/// Stops counting threads that have held their places for a check period. They may visit much
/// later, and wakes are deferred because of them. Returns whether there were any.
bool scheduler::stop_counting_late_holders() noexcept {
  bool is_any_late = false;
  for (const auto& each : visitors()) {
    hold_counted now = each->counted.load(std::memory_order_relaxed);
    if (now == hold_counted::fresh) {
      // fails if the thread has just begun to visit or has left
      each->counted.compare_exchange_strong(
          now, hold_counted::since_last_check, std::memory_order_relaxed);
    } else if (now == hold_counted::since_last_check && stop_counting(*each)) {
      leave(visit_word::one_visit);
      is_any_late = true;
    }
  }
  return is_any_late;
}

std::uint64_t scheduler::num_started_in_places() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& each : visitors()) {
    sum += each->num_started.load(std::memory_order_relaxed);
  }
  return sum;
}

bool scheduler::is_any_place_held() const noexcept {
  return std::ranges::any_of(visitors(), [](const auto& each) {
    return each->holder.load(std::memory_order_relaxed) != 0;
  });
}

bool scheduler::is_any_holder_counted() const noexcept {
  return std::ranges::any_of(visitors(), [](const auto& each) {
    return each->counted.load(std::memory_order_seq_cst) != hold_counted::no;
  });
}

/// Leaves held places to the threads that hold them. Call it when no thread starts tasks, steals or
/// visits any more.
void scheduler::detach_held_places() noexcept {
  for (std::unique_ptr<visitor>& each : visitors_) {
    if (each->holder.load(std::memory_order_relaxed) != 0) {
      each->release_stacks();
      each->home = nullptr;
      static_cast<void>(each.release());
    }
  }
}

void scheduler::visitor::release_stacks() noexcept {
  if (visit_base != nullptr) {
    stacks.release(std::exchange(visit_base, nullptr));
  }
  stacks.keep_at_most(0);
}

scheduler::visitor::~visitor() { release_stacks(); }

/// Null: the maximum number of places exists.
scheduler::visitor* scheduler::add_visitor() {
  const std::lock_guard guard(resize_mutex_);
  if (visitors_.size() == visit_word::most_places) {
    return nullptr;
  }
  const auto place = static_cast<unsigned>(visitors_.size());
  const unsigned index = counters::first_visitor + place;
  auto fresh =
      std::make_unique<visitor>(*this, index, *counters::process_blocks().acquire(pool_, index));
  worker& w = *fresh;
  w.count->start(counters::worker_state::absent, counters::ticks_now());
  if (!has_membarrier_) {
    w.tasks.ask(request::fenced);
  }
  // Parked workers could not request anything from this new deque, so the request is made here for
  // them.
  w.tasks.ask(request::sleepers);
  if (w.clock.is_traced()) {
    w.tasks.ask(request::traced);
  }
  w.search_us = longest_search_us;
  visitors_.push_back(std::move(fresh));
  visits_.fetch_add(visit_word::visit_in(place), std::memory_order_seq_cst);
  // release: pairs with the acquire in visitors()
  num_visitors_.store(static_cast<unsigned>(visitors_.size()), std::memory_order_release);
  return visitors_.back().get();
}

bool scheduler::visit(task& root, worker* held) noexcept {
  const visiting_thread* const thread = this_thread();
  visitor* place = nullptr;
  if (held != nullptr) {
    place = static_cast<visitor*>(held);
    if (thread == nullptr || !begin_visit_in(*place)) {
      give_back(*held);
      return false;
    }
  } else if (thread != nullptr) {
    visitor* const other = place_held_by(thread->number, thread->held);
    const bool counted_twice = other != nullptr && stop_counting(*other);
    if (counted_twice) {
      leave(visit_word::one_visit);
    }
    place = begin_visit();
    if (counted_twice && !other->tasks.has_none_left()) {
      other->tasks.publish_all();
      wake_to_share(true);
    }
  }
  if (place == nullptr) {
    return false;
  }
  place->visits_for = &root;
  stack* const base = visit_base_of(*place);
  if (base == nullptr) {
    publish_remaining(*place);
    end_visit(*place);
    return false;
  }
  if (!place->native.is_same_place(thread->native)) {
    place->native = thread->native;
  }
  place->current = &place->native;
  set_self(place);
  if (timing_ != timing_mode::counts && !std::exchange(place->is_calibrated, true)) {
    place->clock.calibrate();
  }
#if !defined(WEFT_COUNTERS_OFF)
  place->clock.break_window();
  place->count->enter(counters::worker_state::executing, counters::ticks_now());
#endif
  run_visit(*base);
  set_self(nullptr);
  change_state(*place, counters::worker_state::absent, publish_remaining(*place));
  end_visit(*place);
  return true;
}

/// Publishes the remaining tasks of a place, and wakes a worker for them. Returns their number.
std::size_t scheduler::publish_remaining(visitor& place) noexcept {
  if (place.tasks.has_none_left()) {
    return 0;
  }
  place.tasks.publish_all();
  wake_one();
  return place.tasks.size_estimate();
}

/// Ends the visit and frees its place. Afterwards the calling thread must not use the scheduler:
/// the runtime may already be destroyed.
void scheduler::end_visit(visitor& place) noexcept {
  place.stacks.keep_at_most(stacks_kept_between_visits);
  place.visits_for = nullptr;
  leave_place(place, true);
}

void scheduler::leave_place(visitor& place, bool is_counted) noexcept {
  place.holder.store(0, std::memory_order_relaxed);
  const unsigned number = place.index - counters::first_visitor;
  leave(is_counted ? visit_word::visit_in(number) : visit_word::place(number));
}

/// Subtracts `what` from the word of visits, and makes up for a deferred wake.
void scheduler::leave(std::uint64_t what) noexcept {
  visit_word before{visits_.load(std::memory_order_relaxed)};
  while (!before.has_deferred_wake()) {
    // release: pairs with begin_visit()
    if (visits_.compare_exchange_weak(before.bits,
                                      before.bits - what,
                                      std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return;
    }
  }
  external_begin();  // before the visit ends, because num_outside() reads the visits first
  visits_.fetch_sub(what, std::memory_order_seq_cst);
  if (!are_visitors_enough()) {
    visits_.fetch_and(~visit_word::is_wake_deferred, std::memory_order_seq_cst);
    // A thread that holds a place is not busy, but may have deferred the wake.
    if (is_any_place_held() || is_any_worker_busy()) {
      wake_one(true);
    }
  }
  external_end();
}

bool scheduler::are_visitors_enough() const noexcept {
  return num_idle_.load(std::memory_order_seq_cst) <= visits().num_visiting();
}

/// True if a worker or visitor runs a task, and is not just about to leave it.
///
/// A thread that deferred a wake was in a task at that time, which is seen here.
bool scheduler::is_any_worker_busy() const noexcept {
#if defined(WEFT_COUNTERS_OFF)
  return true;  // unknown without counters
#else
  const auto is_busy = [](const auto& w) {
    const counters::worker_state state = w->count->state();
    return state == counters::worker_state::executing || state == counters::worker_state::stealing;
  };
  constexpr int num_checks = 30;
  for (int i = 0; i < num_checks; ++i) {
    if (std::ranges::none_of(present(), is_busy) && std::ranges::none_of(visitors(), is_busy)) {
      return false;
    }
    spin_pause();
  }
  return true;
#endif
}

void scheduler::wake_to_share(bool is_for_optional) noexcept {
  if (visits().num_visiting() == 0) {
    wake_one(is_for_optional);
  } else if (!may_defer_wakes() || !defer_wake()) {
    wake_one(true);
  }
}

/// True if a parked worker watches the held places, and so notices a thread that never visits. Also
/// true if no thread that holds a place counts as visiting.
bool scheduler::may_defer_wakes() const noexcept {
  return is_watching_places_.load(std::memory_order_seq_cst) || !is_any_holder_counted();
}

/// Defers a wake while there are enough visitors. The visitor whose end makes them too few then
/// wakes a worker. False: not deferred.
bool scheduler::defer_wake() noexcept {
  if (!are_visitors_enough()) {
    return false;
  }
  visits_.fetch_or(visit_word::is_wake_deferred, std::memory_order_seq_cst);
  return are_visitors_enough();  // otherwise a visitor has left that may not have seen the bit
}

}  // namespace weft::tasks::detail
