// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Completes futures, waits for them and gives them up.
#include "weft/tasks/detail/futures/future_state.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <source_location>
#include <string>

#include "weft/base/error.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/deadlock.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/nested_stack.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/future_error.hpp"
#include "weft/tasks/when_any.hpp"

#include "tasks/scheduler/progress_poller.hpp"

namespace weft {
namespace {

const char* text_of(future_errc code) noexcept {
  switch (code) {
    case future_errc::no_state:
      return "this future has no state: it was default-constructed, moved from, or its get(), "
             "then() or share() was called before; a result that is needed several times needs a "
             "shared_future";
    case future_errc::already_retrieved:
      return "get_future() was called twice; call it once and use share() for more futures";
    case future_errc::promise_already_satisfied:
      return "this promise has its value or exception already; set it once";
    case future_errc::no_exception:
      return "a promise was failed with a null exception_ptr, so get() had nothing to throw; pass "
             "std::make_exception_ptr(...), or std::current_exception() within a handler";
    case future_errc::no_callable:
      return "a packaged_task was made of a null pointer or an empty function object; give it "
             "something to call, or make it without argument and assign to it later";
    case future_errc::broken_promise:
      break;
  }
  return "a promise or packaged task was destroyed before it had a value or an exception, so its "
         "future can never be ready; set one on every path, or call set_exception";
}

errc general_code_of(future_errc code) noexcept {
  switch (code) {
    case future_errc::no_state:
      return errc::no_state;
    case future_errc::already_retrieved:
      return errc::future_already_retrieved;
    case future_errc::promise_already_satisfied:
      return errc::promise_already_satisfied;
    case future_errc::no_exception:
      return errc::bad_parameter;
    case future_errc::no_callable:
      return errc::bad_function_call;
    case future_errc::broken_promise:
      break;
  }
  return errc::broken_promise;
}

}  // namespace

future_error::future_error(future_errc code)
    : error(general_code_of(code), text_of(code)), code_(code) {}

namespace tasks::detail {
namespace {

dependent* dependents_of(std::uintptr_t word) noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a tagged word
  return reinterpret_cast<dependent*>(word & ~future_state::flags);
}

struct waiting : dependent {
  waiting() noexcept : dependent(&end_wait) {}
  static void end_wait(dependent& me, completions& all) noexcept {
    all.make_ready(*static_cast<waiting&>(me).who.load());
  }
  std::atomic<waiter*> who = nullptr;
};

}  // namespace

void completions::queue::push(dependent& node) noexcept {
  node.next = nullptr;
  (last == nullptr ? first : last->next) = &node;
  last = &node;
}

dependent* completions::queue::pop() noexcept {
  dependent* node = first;
  if (node != nullptr) {
    first = node->next;
    last = first == nullptr ? nullptr : last;
  }
  return node;
}

/// Adds all of `list`, which is in reverse order of attachment. They are notified in the order of
/// attachment.
void completions::add_all(dependent* list) noexcept {
  dependent* reversed = nullptr;
  while (list != nullptr) {
    dependent* rest = list->next;
    list->next = reversed;
    reversed = list;
    list = rest;
  }
  while (reversed != nullptr) {
    dependent* rest = reversed->next;
    notified_.push(*reversed);
    reversed = rest;
  }
}

void completions::call_later(dependent& me) noexcept { calls_.push(me); }

void completions::make_ready(waiter& ready) noexcept {
  if (ready_ == nullptr) {
    ready_ = &ready;
  } else {
    resume(ready);
  }
}

void completions::finish(future_state& state, std::uintptr_t outcome) noexcept {
  // acq_rel: as in the function `finish`
  const std::uintptr_t before = state.done.exchange(outcome, std::memory_order_acq_rel);
  add_all(dependents_of(before));
  if ((before & future_state::abandoned) != 0) {
    static_cast<void>(state.ops->drop(state));  // the function has run: it holds no future
  }
}

waiter* completions::drain() noexcept {
  for (;;) {
    if (dependent* next = notified_.pop()) {
      next->notify(*next, *this);
    } else if (dependent* call = calls_.pop()) {
      if (ready_ != nullptr) {  // the call may take long
        resume(*ready_);
        ready_ = nullptr;
      }
      call->notify(*call, *this);
    } else {
      return ready_;
    }
  }
}

waiter* finish_slowly(future_state& state, std::uintptr_t before) noexcept {
  if ((before & future_state::abandoned) != 0) {
    static_cast<void>(state.ops->drop(state));  // the function has run: it holds no future
  }
  completions all;
  all.add_all(dependents_of(before));
  return all.drain();
}

bool attach(future_state& state, dependent& node, dependent** below) noexcept {
  std::uintptr_t word = state.done.load(std::memory_order_acquire);
  do {
    if (task::is_final(word)) {
      return false;
    }
    node.next = dependents_of(word);
    if (below != nullptr) {
      *below = node.next;
    }
    // release: hands the node to finish(); acquire: if it is final, so is the result
  } while (!state.done.compare_exchange_weak(
      word,
      reinterpret_cast<std::uintptr_t>(&node) | (word & future_state::abandoned),
      std::memory_order_acq_rel,
      std::memory_order_acquire));
  return true;
}

bool claim_unstarted(future_state& state) noexcept {
  std::uintptr_t expected = future_state::unstarted;
  return state.is_unstarted() &&
         state.done.compare_exchange_strong(
             expected, task::pending, std::memory_order_acq_rel, std::memory_order_relaxed);
}

void start_unstarted(future_state& state) noexcept {
  if (claim_unstarted(state)) {
    start_surely(nullptr, state);
  }
}

namespace {

/// Gives up the future's share of `state`. Returns the next state to be given up, or null.
future_state* abandon_one(future_state& state) noexcept {
  std::uintptr_t word = state.done.load(std::memory_order_acquire);
  do {
    if (task::is_final(word) || word == future_state::unstarted) {
      return state.ops->drop(state);
    }
    // release: this future no longer reads the state; acquire: pairs with the completion
  } while (!state.done.compare_exchange_weak(
      word, word | future_state::abandoned, std::memory_order_acq_rel, std::memory_order_acquire));
  return nullptr;
}

}  // namespace

void abandon(future_state& state) noexcept {
  for (future_state* next = &state; next != nullptr;) {
    next = abandon_one(*next);
  }
}

void share_first(future_state& state) noexcept { state.num_sharers = 1; }

void add_sharer(future_state& state) noexcept {
  // relaxed: the copying code holds a share, so the count cannot reach zero meanwhile
  std::atomic_ref(state.num_sharers).fetch_add(1, std::memory_order_relaxed);
}

void abandon_share(future_state& state) noexcept {
  // acq_rel: the thread that frees sees that all others have finished reading
  if (std::atomic_ref(state.num_sharers).fetch_sub(1, std::memory_order_acq_rel) == 1) {
    abandon(state);
  }
}

void run_here(future_state& state, bool is_timed) {
  struct claimed_task {
    task& t;
    bool is_timed;

    static void run(void* context) {
      const auto [t, is_timed] = *static_cast<claimed_task*>(context);
      if (waiter* ready = is_timed ? run_timed(*self(), t, run_kind::called) : t.run(t)) {
        resume(*ready);
      }
    }
  };
  claimed_task claimed{state, is_timed};
  worker* w = self();
  if (w == nullptr || !is_short_of_stack(*w)) {
    claimed_task::run(&claimed);
    return;
  }
  try {
    call_on_another_stack(*w, claimed_task::run, &claimed);
  } catch (...) {  // no other stack: the task is queued, and the caller gets the error
    start_surely(nullptr, state);
    throw;
  }
}

namespace {

bool is_state_ready(const void* state) noexcept {
  return static_cast<const future_state*>(state)->is_ready();
}

}  // namespace

void wait_until_final(future_state& state, const wait_reason& why) {
  if (state.is_ready()) {
    return;
  }
  worker* w = self();
  if (claim_unstarted(state) ||
      (w != nullptr && claim_slowly(*w, state, state.place) == claim::mine)) {
    const bool is_timed = w != nullptr && w->clock.count();
    run_here(state, is_timed);  // afterwards a continuation may depend on another future
  }
  // The task has often nearly finished, and a check costs less than two stack switches.
  constexpr int num_checks = 20;
  for (int i = 0; i < num_checks; ++i) {
    if (state.is_ready()) {
      return;
    }
    spin_pause();
  }
  if (w == nullptr && self() == nullptr &&
      progress_poller::poll_until({.is_over = is_state_ready, .context = &state})) {
    return;
  }
  const auto wait_for = [&](waiting& me) {
    wait(why, [&](waiter& node) noexcept {
      me.who = &node;
      return attach(state, me);
    });
  };
  if (self() != nullptr) {
    waiting here;
    wait_for(here);
    return;
  }
  auto mine = std::make_unique<waiting>();
  try {
    wait_for(*mine);
  } catch (const deadlock_error&) {  // the promise of this state reports the deadlock again
    static waiter& nobody = *new waiter(*new wait_reason(why));
    mine.release()->who = &nobody;
    throw;
  }
}

namespace {

/// A wait with a time limit. Stays in the list of dependents after a timeout, and is freed when the
/// state is final.
struct timed_waiting : dependent {
  timed_waiting() noexcept : dependent(&end_wait) {}

  static void end_wait(dependent& me, completions& all) noexcept {
    auto* node = static_cast<timed_waiting*>(&me);
    {
      const std::lock_guard guard(node->lock);
      if (node->who != nullptr && node->who->claim()) {
        all.make_ready(*node->who);
      }
    }
    node->release();
  }
  void release() noexcept {
    if (num_owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

  spin_lock lock;
  // the next one in the list; does not change while this one is in the list
  dependent* below = nullptr;
  waiter* who = nullptr;
  std::atomic<int> num_owners{2};  // the waiting code, and the list
};

/// Takes `node` out of the list if nothing was attached after it. False: the list will notify it.
bool detach_first(future_state& state, timed_waiting& node) noexcept {
  auto word = reinterpret_cast<std::uintptr_t>(static_cast<dependent*>(&node));
  return state.done.compare_exchange_strong(word,
                                            reinterpret_cast<std::uintptr_t>(node.below),
                                            std::memory_order_acq_rel,
                                            std::memory_order_relaxed);
}

}  // namespace

future_status wait_for_status(future_state& state,
                              time_point deadline,
                              const std::source_location& where) {
  if (state.is_ready()) {
    return future_status::ready;
  }
  if (state.is_unstarted()) {
    return future_status::deferred;
  }
  auto fresh = std::make_unique<timed_waiting>();
  timed_waiting* node = fresh.get();
  bool is_attached = false;
  const wait_reason why{"future (timed)", &state, where};
  wait_until(
      why,
      deadline,
      [&](waiter& me) noexcept {
        node->who = &me;
        is_attached = attach(state, *node, &node->below);
        return is_attached;
      },
      [&](waiter& /*me*/) noexcept {
        const std::lock_guard guard(node->lock);
        node->who = nullptr;
      });
  static_cast<void>(fresh.release());
  if (!is_attached || detach_first(state, *node)) {
    node->release();
  }
  node->release();
  return state.is_ready() ? future_status::ready : future_status::timeout;
}

[[gnu::cold]] void throw_too_many_needed(std::size_t num_needed, std::size_t num_futures) {
  throw error(errc::bad_parameter,
              "when_some_ready was asked for " + std::to_string(num_needed) + " of " +
                  std::to_string(num_futures) + " futures, which could never be; ask for at most " +
                  std::to_string(num_futures));
}

[[gnu::cold]] void throw_future_error(future_errc code) { throw future_error(code); }

void run_before_caller(future_state& child) {
  if (!claim_unstarted(child)) {
    return;
  }
  if (self() == nullptr) {
    start_surely(nullptr, child);
    return;
  }
  try {
    wait(wait_reason{"launch::fork", &child}, [&child](waiter& node) noexcept {
      task& next = child;  // the caller may be gone once it can be resumed
      resume(node);
      start_surely(nullptr, next);
      return true;
    });
  } catch (const error&) {  // no stack is left to suspend the caller
    start_surely(nullptr, child);
  }
}

}  // namespace tasks::detail
}  // namespace weft
