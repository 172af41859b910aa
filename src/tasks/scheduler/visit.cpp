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
scheduler::visitor* scheduler::take_visitor() noexcept {
  // One worker alone means that nothing runs beside a task.
  if (num_workers() == 1) {
    return nullptr;
  }
  const unsigned num_idle = num_idle_.load(std::memory_order_relaxed);
  const unsigned num_visiting = num_visiting_.load(std::memory_order_relaxed);
  // One who searches gives way.
  if (num_idle <= num_visiting &&
      num_idle + num_searching(num_visiting - num_idle + 1) <= num_visiting) {
    return nullptr;
  }
  for (const auto& each : visitors()) {
    if (!each->is_taken.load(std::memory_order_relaxed) &&
        !each->is_taken.exchange(true, std::memory_order_acquire)) {  // pairs with end_visit()
      return each.get();
    }
  }
  try {
    return add_visitor();
  } catch (const std::exception&) {
    return nullptr;
  }
}

/// Null: there are as many as there can be.
scheduler::visitor* scheduler::add_visitor() {
  const std::lock_guard guard(resize_mutex_);
  if (visitors_.size() == visitors_.capacity()) {
    return nullptr;
  }
  const unsigned index = counters::first_visitor + static_cast<unsigned>(visitors_.size());
  auto fresh =
      std::make_unique<visitor>(*this, index, *counters::process_blocks().acquire(pool_, index));
  worker& w = *fresh;
  w.count->start(counters::worker_state::absent, counters::ticks_now());
  if (!has_membarrier_) {
    w.tasks.ask(request::fenced);
  }
  if (w.clock.is_traced()) {
    w.tasks.ask(request::traced);
  }
  w.search_us = longest_search_us;
  visitors_.push_back(std::move(fresh));
  // release: pairs with the acquire in visitors()
  num_visitors_.store(static_cast<unsigned>(visitors_.size()), std::memory_order_release);
  return visitors_.back().get();
}

bool scheduler::visit(task& root) noexcept {
  visitor* const place = take_visitor();
  if (place == nullptr) {
    return false;
  }
  stack* const base = place->stacks.try_acquire();
  const stack* native = nullptr;
  try {
    thread_local visiting_thread kept;
    native = &kept.native;
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): then a worker runs it
  }
  if (base == nullptr || native == nullptr) {
    if (base != nullptr) {
      place->stacks.release(base);
    }
    place->is_taken.store(false, std::memory_order_release);
    return false;
  }
  begin_visit(*place, root);
  place->native = *native;
  place->current = &place->native;
  set_self(place);
  if (timing_ != timing_mode::counts && !std::exchange(place->is_calibrated, true)) {
    place->clock.calibrate();
  }
  change_state(*place, counters::worker_state::executing);
  enter_loop_with(*place, *base, root);
  set_self(nullptr);
  change_state(*place, counters::worker_state::absent);
  end_visit(*place);
  return true;
}

void scheduler::begin_visit(visitor& place, task& root) noexcept {
  place.visits_for = &root;
  external_begin();
  num_visiting_.fetch_add(1, std::memory_order_seq_cst);
  note_offering_cpu();
}

/// The last that a thread does here: the runtime may be gone afterwards.
void scheduler::end_visit(visitor& place) noexcept {
  if (!place.tasks.looks_empty()) {  // started, and nobody waited for them
    place.tasks.publish_all();
    wake_one();
  }
  place.stacks.keep_at_most(stacks_kept_between_visits);
  place.visits_for = nullptr;
  place.is_taken.store(false, std::memory_order_release);  // pairs with take_visitor()
  num_visiting_.fetch_sub(1, std::memory_order_seq_cst);
  if (is_wake_put_off_.load(std::memory_order_seq_cst) && !are_visitors_enough()) {
    is_wake_put_off_.store(false, std::memory_order_seq_cst);
    if (is_anyone_busy()) {
      wake_one(true);
    }
  }
  external_end();
}

bool scheduler::are_visitors_enough() const noexcept {
  return num_idle_.load(std::memory_order_seq_cst) <= num_visiting_.load(std::memory_order_seq_cst);
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
  if (num_visiting_.load(std::memory_order_seq_cst) == 0) {
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
  is_wake_put_off_.store(true, std::memory_order_seq_cst);
  return are_visitors_enough();  // else one left who may not have seen it
}

}  // namespace weft::tasks::detail
