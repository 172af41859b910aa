// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Awaiting a future of any type in a coroutine.
#pragma once

#include <coroutine>
#include <utility>

#include "weft/tasks/detail/futures/future_access.hpp"

namespace weft::tasks::detail {

/// Lives in the waiting coroutine's frame; its task resumes the coroutine.
template <class Future>
class future_awaiter : task, dependent {
 public:
  explicit future_awaiter(Future source) noexcept
      : task(&resume_coroutine), dependent(&queue), source_(std::move(source)) {}
  future_awaiter(const future_awaiter&) = delete;
  future_awaiter& operator=(const future_awaiter&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return source_.is_ready(); }

  bool await_suspend(std::coroutine_handle<> waiting) noexcept {
    future_state& state = *future_access::state_of(source_);
    const worker* w = self();
    home_ = w != nullptr ? w->home : nullptr;
    waiting_ = waiting;
    start_unstarted(state);
    return attach(state, *this);
  }

  decltype(auto) await_resume() { return source_.get(); }

 private:
  static void queue(dependent& me, completions& /*all*/) noexcept {
    auto& waiting = static_cast<future_awaiter&>(me);
    start_surely(waiting.home_, waiting);
  }
  static waiter* resume_coroutine(task& me) noexcept {
    static_cast<future_awaiter&>(me).waiting_.resume();
    return nullptr;
  }

  Future source_;
  std::coroutine_handle<> waiting_;
  scheduler* home_ = nullptr;
};

}  // namespace weft::tasks::detail
