// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow paths of coroutines: leaving the stack they run on, and ending without an awaiter below.
#include <coroutine>

#include "weft/tasks/detail/coroutine_fork.hpp"
#include "weft/tasks/detail/coroutine_promise.hpp"
#include "weft/tasks/detail/coroutine_root.hpp"
#include "weft/tasks/detail/future_state.hpp"
#include "weft/tasks/detail/self.hpp"
#include "weft/tasks/detail/split_deque.hpp"
#include "weft/tasks/detail/task.hpp"
#include "weft/tasks/detail/waiter.hpp"
#include "weft/tasks/detail/worker.hpp"

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
  const auto [next, ended] = static_cast<queued_resume&>(t).what;
  if (ended != nullptr) {
    ended.destroy();  // `t` lies in its frame
  }
  next.resume();
  return nullptr;
}

std::coroutine_handle<> end_detached(coroutine ended) noexcept {
  coroutine_promise& promise = ended.promise();
  const std::coroutine_handle<> next = promise.after.next();
  worker* w = self();
  // Compilers that do not make this resumption a tail call let the stack grow.
  if (next != nullptr && w != nullptr && is_short_of_stack(*w)) [[unlikely]] {
    queue_surely(*::new (promise.queued) queued_resume(next, ended));
    return std::noop_coroutine();
  }
  ended.destroy();
  return next != nullptr ? next : std::noop_coroutine();
}

std::coroutine_handle<> successor::next() const noexcept {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a tagged word
  void* target = reinterpret_cast<void*>(bits_ & ~kind_bits);
  bool is_parents_turn = false;
  switch (static_cast<kind>(bits_ & kind_bits)) {
    case kind::awaiter:
      return std::coroutine_handle<>::from_address(target);
    case kind::completion: {
      auto& end = *static_cast<completion*>(target);
      end.run(end);
      return nullptr;
    }
    case kind::fork:
      is_parents_turn = static_cast<fork_state*>(target)->report();
      break;
    case kind::fork_of_last:
      is_parents_turn = static_cast<fork_state*>(target)->settle();
      break;
  }
  return is_parents_turn ? static_cast<fork_state*>(target)->parent : nullptr;
}

[[gnu::noinline]] bool fork_state::take_back_slowly(split_deque::slot* place) noexcept {
  return place == nullptr || tasks::detail::self()->tasks.claim_slowly(*this, place) == claim::mine;
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
