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
// them into the place's deque and counts as a visitor, since it will be one soon. If it does not
// come for a while, a worker that naps counts it out: then wakes are no longer put off because of it.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
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
  std::size_t held = 0;                  // the number of a place that it held last

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
bool scheduler::has_room_beside(visit_word visits) const noexcept {
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
    if (!has_room_beside(before)) {
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

/// A place that the thread of that number holds, and held last. Null: there is none.
scheduler::visitor* scheduler::place_held_by(std::uint64_t thread,
                                             std::size_t last) const noexcept {
  const visitor_list all = visitors();
  const bool is_held =
      last < all.size() && all[last]->holder.load(std::memory_order_relaxed) == thread;
  return is_held ? all[last].get() : nullptr;
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
  place->is_held.store(true, std::memory_order_relaxed);
  if (!is_one_napping_.load(std::memory_order_seq_cst)) {
    wake_one(true);  // naps, unless it finds something
  }
  return place;
}

void scheduler::start_in(worker& held, task& t) noexcept {
  auto& place = static_cast<visitor&>(held);
  if (!place.is_held.load(std::memory_order_relaxed)) {
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

/// True if the visit that began when the thread took the place goes on: nobody counted it out.
bool scheduler::end_holding(visitor& place) noexcept {
  return place.is_held.exchange(false, std::memory_order_acq_rel);
}

/// Begins to visit in a place that the thread holds. False: there is no room.
bool scheduler::come_to(visitor& held) noexcept {
  if (end_holding(held)) {
    return true;
  }
  if (num_workers() == 1 || !has_room_beside(visits())) {
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
  const visiting_thread* const thread = this_thread();
  const bool is_counted = end_holding(place);
  if (thread != nullptr && place.holder.load(std::memory_order_relaxed) == thread->number) {
    home.share_what_is_left(place);
    home.leave_place(place, is_counted);
    return;
  }
  // Its thread may visit there at this moment. So the place stays taken, and nobody's.
  place.holder.store(0, std::memory_order_relaxed);
  if (is_counted) {
    home.leave(visit_word::one_visit);
  }
}

/// Counts those out who hold a place and started nothing for a nap: they may come much later, and
/// wakes were put off until they come. Returns whether there were any.
bool scheduler::count_out_who_is_late() noexcept {
  bool is_one_late = false;
  for (const auto& each : visitors()) {
    const std::uint64_t num_before = std::exchange(
        each->num_started_before_nap, each->num_started.load(std::memory_order_relaxed));
    if (each->is_held.load(std::memory_order_relaxed) &&
        each->num_started_before_nap == num_before && end_holding(*each)) {
      leave(visit_word::one_visit);
      is_one_late = true;
    }
  }
  return is_one_late;
}

std::uint64_t scheduler::num_started_in_places() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& each : visitors()) {
    sum += each->num_started.load(std::memory_order_relaxed);
  }
  return sum;
}

bool scheduler::is_any_place_held() const noexcept {
  return std::ranges::any_of(
      visitors(), [](const auto& each) { return each->is_held.load(std::memory_order_seq_cst); });
}

/// Once nobody starts, steals or visits any more: what is held belongs to whoever holds it.
void scheduler::let_go_of_held_places() noexcept {
  for (std::unique_ptr<visitor>& each : visitors_) {
    if (each->holder.load(std::memory_order_relaxed) != 0) {
      each->let_go_of_stacks();
      each->home = nullptr;
      static_cast<void>(each.release());
    }
  }
}

void scheduler::visitor::let_go_of_stacks() noexcept {
  if (visit_base != nullptr) {
    stacks.release(std::exchange(visit_base, nullptr));
  }
  stacks.keep_at_most(0);
}

scheduler::visitor::~visitor() { let_go_of_stacks(); }

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
  if (thread == nullptr) {
    return false;
  }
  visitor* const own =
      held != nullptr ? static_cast<visitor*>(held) : place_held_by(thread->number, thread->held);
  if (own == nullptr) {
    visitor* const place = begin_visit();
    return place != nullptr && visit_in(*place, root, thread->native, true);
  }
  if (come_to(*own)) {
    return visit_in(*own, root, thread->native, held != nullptr);
  }
  if (held != nullptr) {
    give_back(*held);
  }
  return false;
}

/// The visit of a thread whose own stack is `native`; leaves the place, or holds it as before.
bool scheduler::visit_in(visitor& place,
                         task& root,
                         const stack& native,
                         bool then_leaves) noexcept {
  place.visits_for = &root;
  stack* const base = visit_base_of(place);
  if (base != nullptr) {
    go_to(place, *base, native);
  }
  place.visits_for = nullptr;
  if (then_leaves) {
    change_state(place, counters::worker_state::absent, share_what_is_left(place));
    end_visit(place);
  } else {
    change_state(place, counters::worker_state::absent);
    place.is_held.store(true, std::memory_order_relaxed);
  }
  return base != nullptr;
}

void scheduler::go_to(visitor& place, stack& base, const stack& native) noexcept {
  if (!place.native.is_same_place(native)) {
    place.native = native;
  }
  place.current = &place.native;
  set_self(&place);
  if (timing_ != timing_mode::counts && !std::exchange(place.is_calibrated, true)) {
    place.clock.calibrate();
  }
#if !defined(WEFT_COUNTERS_OFF)
  place.clock.break_window();
  place.count->enter(counters::worker_state::executing, counters::ticks_now());
#endif
  go_visiting(base);
  set_self(nullptr);
}

/// Leaves what was started, and what nobody waited for, to workers. Returns how much that is.
std::size_t scheduler::share_what_is_left(visitor& place) noexcept {
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
  while (!before.puts_wake_off()) {
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
    visits_.fetch_and(~visit_word::is_wake_put_off, std::memory_order_seq_cst);
    if (is_anyone_busy()) {
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
bool scheduler::is_anyone_busy() const noexcept {
#if defined(WEFT_COUNTERS_OFF)
  return true;  // nobody knows
#else
  const auto is_busy = [](const auto& w) {
    const counters::worker_state state = w->count->state();
    return state == counters::worker_state::executing || state == counters::worker_state::stealing;
  };
  constexpr int num_looks = 30;
  for (int i = 0; i < num_looks; ++i) {
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
  } else if (!is_watched() || !puts_wake_off()) {
    wake_one(true);
  }
}

/// True if a worker naps, or nobody holds a place, who might not come to work there.
bool scheduler::is_watched() const noexcept {
  return is_one_napping_.load(std::memory_order_seq_cst) || !is_any_place_held();
}

/// True if nobody is to be woken as long as there are as many visitors: the last of those who are
/// too few then sees to it.
bool scheduler::puts_wake_off() noexcept {
  if (!are_visitors_enough()) {
    return false;
  }
  visits_.fetch_or(visit_word::is_wake_put_off, std::memory_order_seq_cst);
  return are_visitors_enough();  // else one left who may not have seen it
}

}  // namespace weft::tasks::detail
