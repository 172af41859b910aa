// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow paths of coroutines: leaving their stack, and ending without an awaiter on it.
#include <coroutine>

#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/futures/coroutine_fork.hpp"
#include "weft/tasks/detail/futures/coroutine_promise.hpp"
#include "weft/tasks/detail/futures/coroutine_root.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

void detach(coroutine_promise* last) noexcept {
  while (last != nullptr && last->call != nullptr) {
    coroutine_promise* caller = last->call->caller;
    last->call = nullptr;
    last = caller;
  }
}

void queue_surely(task& t) noexcept { start_surely(nullptr, t); }

void start_later(coroutine fresh) noexcept {
  coroutine_promise& promise = fresh.promise();
  queue_surely(*::new (promise.queued) queued_resume(fresh, nullptr));
}

waiter* queued_resume::resume_it(task& t) noexcept {
  self()->clock.uncount();
  const auto [next, ended] = static_cast<queued_resume&>(t).what;
  if (ended != nullptr) {
    ended.destroy();  // `t` lies in its frame
  }
  next.resume();
  return nullptr;
}

std::coroutine_handle<> end_detached(coroutine ended) noexcept {
  const successor after = ended.promise().after;
  const worker* w = self();
  // The stack grows with compilers that do not resume the next coroutine by a tail call.
  const bool has_room = w == nullptr || !is_short_of_stack(*w);
  if (!has_room && after.is_awaiter()) {
    queue_surely(*::new (ended.promise().queued) queued_resume(after.next(), ended));
    return std::noop_coroutine();
  }
  // first: the code that waits for the end may read what the arguments referred to
  ended.destroy();
  return after.next(has_room);
}

std::coroutine_handle<> successor::next(bool has_room) const noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a tagged word
  void* target = reinterpret_cast<void*>(bits_ & ~kind_bits);
  const kind what = kind_of();
  if (what == kind::awaiter) {
    return std::coroutine_handle<>::from_address(target);
  }
  if (what == kind::completion) {
    auto& end = *static_cast<completion*>(target);
    end.run(end);
    return std::noop_coroutine();
  }
  auto& fork = *static_cast<fork_state*>(target);
  if (!(what == kind::fork ? fork.report() : fork.settle())) {
    return std::noop_coroutine();
  }
  if (!has_room) {
    fork.queue_parent();
    return std::noop_coroutine();
  }
  return fork.parent;
}

void fork_state::queue_parent() noexcept {
  run = [](task& t) noexcept -> waiter* {
    self()->clock.uncount();
    static_cast<fork_state&>(t).parent.resume();
    return nullptr;
  };
  queue_surely(*this);
}

timed_child::timed_child(const void* fork, const void* label) noexcept
    : timing_{.subject = fork, .label = label}, here_(self()->current) {
  begin_timing(*self(), timing_);
}

timed_child::~timed_child() { self()->clock.end(timing_, *here_); }

[[gnu::noinline]] fork_state::taken fork_state::take_back_slowly(
    split_deque::slot* place, split_deque::claiming begun) noexcept {
  worker& w = *self();
  const bool is_mine = place == nullptr ||
                       (begun == split_deque::claiming::asked && w.tasks.confirm_top(place)) ||
                       claim_slowly(w, *this, place) == claim::mine;
  if (!is_mine) {
    return taken::no;
  }
  return w.clock.count() ? taken::timed : taken::untimed;
}

waiter* coroutine_root::start_root(task& t) noexcept {
  auto& root = static_cast<coroutine_root&>(t);
  nested_call call{nullptr};
  run_nested(root.coroutine_, call);
  return call.is_done ? complete(root, finished) : nullptr;
}

void coroutine_root::complete_root(completion& c) noexcept {
  if (waiter* ready = complete(static_cast<coroutine_root&>(c), finished)) {
    resume(*ready);
  }
}

void coroutine_root::run_and_wait(const wait_reason& why) {
  worker* w = self();
  if (w == nullptr) {
    tasks::detail::run_and_wait(current_scheduler(), *this);
    return;
  }
  if (is_short_of_stack(*w)) {
    start_here(*w, *this);
  } else {
    nested_call call{nullptr};
    run_nested(coroutine_, call);
    if (call.is_done) {
      return;
    }
  }
  wait_for_completion(*this, why);
}

}  // namespace weft::tasks::detail
