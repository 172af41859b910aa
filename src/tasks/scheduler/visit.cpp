// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a thread that is no worker works as one for the length of a call.
//
// To hand a call over to a worker and to wait for its end costs two sleeps; most calls are shorter.
// So the thread takes the place of a worker that sleeps or finds nothing to do, and none is woken
// for it meanwhile: but for moments no more are at work than the runtime has workers. What a
// visitor runs goes through a deque of its own that workers steal from, and what it waits for it
// helps with, as they do.
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
};

}  // namespace

/// A free place, now taken. Null: a worker is awake for each CPU that there is work for, or there
/// is no memory.
scheduler::visitor* scheduler::begin_visit() noexcept {
  // One worker alone means that nothing runs beside a task.
  if (num_workers() == 1) {
    return nullptr;
  }
  visit_word before{visits_.load(std::memory_order_relaxed)};
  for (;;) {
    const unsigned num_idle = num_idle_.load(std::memory_order_relaxed);
    const unsigned num_visiting = before.num_visiting();
    // One who searches gives way.
    if (num_idle <= num_visiting &&
        num_idle + num_searching(num_visiting - num_idle + 1) <= num_visiting) {
      return nullptr;
    }
    const unsigned free = before.free_place();
    if (free >= visitors().size()) {
      break;
    }
    // acquire: pairs with end_visit(), whose thread has left the place
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

scheduler::visitor::~visitor() {
  if (visit_base != nullptr) {
    stacks.release(visit_base);
  }
}

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

namespace {

/// The calling thread's own stack. Null: nobody knows where it lies.
const stack* native_stack() noexcept {
  try {
    thread_local visiting_thread kept;
    return &kept.native;
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace

bool scheduler::visit(task& root) noexcept {
  const stack* const native = native_stack();
  visitor* const place = native != nullptr ? begin_visit() : nullptr;
  if (place == nullptr) {
    return false;
  }
  place->visits_for = &root;
  stack* const base = visit_base_of(*place);
  if (base == nullptr) {
    end_visit(*place);
    return false;
  }
  if (!place->native.is_same_place(*native)) {
    place->native = *native;
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
  go_visiting(*base);
  set_self(nullptr);
  std::size_t num_left = 0;
  if (!place->tasks.has_none_left()) {  // started, and nobody waited for them
    place->tasks.publish_all();
    wake_one();
    num_left = place->tasks.size_estimate();
  }
  change_state(*place, counters::worker_state::absent, num_left);
  end_visit(*place);
  return true;
}

/// Gives the visitor's place back. Afterwards the calling thread must not use the scheduler: the
/// runtime may already be destroyed.
void scheduler::end_visit(visitor& place) noexcept {
  place.stacks.keep_at_most(stacks_kept_between_visits);
  place.visits_for = nullptr;
  const std::uint64_t visit = visit_word::visit_in(place.index - counters::first_visitor);
  visit_word before{visits_.load(std::memory_order_relaxed)};
  while (!before.puts_wake_off()) {
    // release: pairs with begin_visit()
    if (visits_.compare_exchange_weak(before.bits,
                                      before.bits - visit,
                                      std::memory_order_seq_cst,
                                      std::memory_order_relaxed)) {
      return;
    }
  }
  external_begin();  // before the visit ends, as num_outside() reads visits first
  visits_.fetch_sub(visit, std::memory_order_seq_cst);
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
  } else if (!puts_wake_off()) {
    wake_one(true);
  }
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
