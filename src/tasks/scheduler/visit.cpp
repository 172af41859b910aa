// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread that is no worker works as one for the length of a call.
//
// To hand a call over to a worker and to wait for its end costs two sleeps; most calls are shorter.
// So the thread takes the place of a worker that sleeps or finds nothing to do, and none is woken
// for it meanwhile: but for moments no more are at work than the runtime has workers. What a
// visitor runs goes through a deque of its own that workers steal from, and what it waits for it
// helps with, as they do.
//
// A thread that starts tasks before it waits, as for a task group, holds a place meanwhile: it puts
// them into the place's deque, and counts as a visitor, since it will soon be one. After two naps of
// a worker, or while it visits elsewhere, it no longer counts: wakes are not put off because of it,
// and what it starts goes to the runtime's queue.
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

/// What a thread keeps from one visit to the next: finding out where its stack lies takes longer
/// than most visits.
struct visiting_thread {
  overflow_handler_thread_scope overflow_handler;
  stack native = make_native_stack();
  std::uint64_t number = next_number();  // no other thread ever has it
  std::size_t held = 0;                  // index of the place that it held last

  static std::uint64_t next_number() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
};

/// Null: nobody knows where the calling thread's own stack lies.
visiting_thread* this_thread() noexcept {
  try {
    thread_local visiting_thread kept;
    return &kept;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

/// False: a worker is awake for each CPU that there is work for.
bool scheduler::has_room_for_visitor(visit_word visits) const noexcept {
  const unsigned num_idle = num_idle_.load(std::memory_order_relaxed);
  const unsigned num_visiting = visits.num_visiting();
  // One who searches gives way.
  return num_idle > num_visiting ||
         num_idle + num_searching(num_visiting - num_idle + 1) > num_visiting;
}

/// A free place, now taken. Null: there is no room for the thread, or no memory.
scheduler::visitor* scheduler::begin_visit() noexcept {
  // One worker alone means that nothing runs beside a task.
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
    // acquire: pairs with leave_place(), whose thread has left the place
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

/// The place with that index, if the thread of that number holds it; else null.
scheduler::visitor* scheduler::place_held_by(std::uint64_t thread,
                                             std::size_t index) const noexcept {
  const visitor_list all = visitors();
  const bool is_held =
      index < all.size() && all[index]->holder.load(std::memory_order_relaxed) == thread;
  return is_held ? all[index].get() : nullptr;
}

worker* scheduler::hold_place() noexcept {
  visiting_thread* const thread = is_of_this_process() ? this_thread() : nullptr;
  // One that holds two places would count as two.
  if (thread == nullptr || place_held_by(thread->number, thread->held) != nullptr) {
    return nullptr;
  }
  visitor* const place = begin_visit();
  if (place == nullptr) {
    return nullptr;
  }
  thread->held = place->index - counters::first_visitor;
  place->holder.store(thread->number, std::memory_order_relaxed);
  // seq_cst: pairs with watch_held_places(), which looks at it after it has lain down
  place->counted.store(hold_counted::fresh, std::memory_order_seq_cst);
  if (!is_watching_places_.load(std::memory_order_seq_cst)) {
    wake_one(true);  // naps, unless it finds something
  }
  // What asked for this may have been withdrawn for a wake that was put off during a visit here.
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

/// True if the thread that holds `place` counted as visiting until now. That count, a `one_visit`,
/// is the caller's to use or to take away.
bool scheduler::stop_counting(visitor& place) noexcept {
  return place.counted.exchange(hold_counted::no, std::memory_order_acq_rel) != hold_counted::no;
}

/// Begins to visit in a place that the thread holds. False: there is no room.
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

/// Threads that have held their places for a watch_held_places no longer count as visiting: they may come much
/// later, and wakes are put off because of them. Returns whether there were any.
bool scheduler::stop_counting_late_holders() noexcept {
  bool is_any_late = false;
  for (const auto& each : visitors()) {
    hold_counted now = each->counted.load(std::memory_order_relaxed);
    if (now == hold_counted::fresh) {
      // fails if the thread has just come
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

/// Once nobody starts, steals or visits any more: what is held belongs to whoever holds it.
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

/// Null: there are as many as there can be.
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
  // Workers already asleep could not ask this new deque, so this asks for them.
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

/// Publishes the tasks that are left in a place, and wakes a worker for them. Returns how many.
std::size_t scheduler::publish_remaining(visitor& place) noexcept {
  if (place.tasks.has_none_left()) {
    return 0;
  }
  place.tasks.publish_all();
  wake_one();
  return place.tasks.size_estimate();
}

/// Gives the visitor's place back. Afterwards the calling thread must not use the scheduler: the
/// runtime may already be destroyed.
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

/// Takes `what` away from the word of visits, and sees to a wake that was put off.
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
  external_begin();  // before the visit ends, as num_outside() reads visits first
  visits_.fetch_sub(what, std::memory_order_seq_cst);
  if (!are_visitors_enough()) {
    visits_.fetch_and(~visit_word::is_wake_deferred, std::memory_order_seq_cst);
    // Who holds a place is not busy, but may have put the wake off.
    if (is_any_place_held() || is_any_worker_busy()) {
      wake_one(true);
    }
  }
  external_end();
}

bool scheduler::are_visitors_enough() const noexcept {
  return num_idle_.load(std::memory_order_seq_cst) <= visits().num_visiting();
}

/// True if somebody is in a task, and not just about to leave it.
///
/// Who put a wake off was in a task when it did, which is seen here.
bool scheduler::is_any_worker_busy() const noexcept {
#if defined(WEFT_COUNTERS_OFF)
  return true;  // nobody knows
#else
  const auto is_busy = [](const auto& w) {
    const counters::worker_state state = w->count->state();
    return state == counters::worker_state::executing || state == counters::worker_state::stealing;
  };
  constexpr int num_checks = 30;
  for (int i = 0; i < num_checks; ++i) {
    if (std::ranges::none_of(started(), is_busy) && std::ranges::none_of(visitors(), is_busy)) {
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

/// True if a worker naps, which notices a thread that holds a place and does not come; or if nobody
/// holds one.
bool scheduler::may_defer_wakes() const noexcept {
  return is_watching_places_.load(std::memory_order_seq_cst) || !is_any_holder_counted();
}

/// True if nobody is to be woken as long as there are as many visitors: the last of those who are
/// too few then sees to it.
bool scheduler::defer_wake() noexcept {
  if (!are_visitors_enough()) {
    return false;
  }
  visits_.fetch_or(visit_word::is_wake_deferred, std::memory_order_seq_cst);
  return are_visitors_enough();  // else one left who may not have seen it
}

}  // namespace weft::tasks::detail
