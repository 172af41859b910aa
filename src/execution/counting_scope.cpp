// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of associations of a scope, and the tasks that wait for the last of them to end.
#include "weft/execution/counting_scope.hpp"

#include <exception>
#include <mutex>
#include <utility>

namespace weft::execution {

detail::counted_association::~counted_association() {
  if (scope_ != nullptr) {
    scope_->give_up_share();
  }
}

detail::counted_association detail::counted_association::try_associate() const noexcept {
  return scope_ != nullptr ? scope_->try_associate() : counted_association();
}

simple_counting_scope::~simple_counting_scope() {
  const std::lock_guard guard(lock_);
  if (state_ != state::unused && state_ != state::unused_and_closed && state_ != state::joined) {
    std::terminate();
  }
}

void simple_counting_scope::close() noexcept {
  const std::lock_guard guard(lock_);
  switch (state_) {
    case state::unused:
      state_ = state::unused_and_closed;
      break;
    case state::open:
      state_ = state::closed;
      break;
    case state::open_and_joining:
      state_ = state::closed_and_joining;
      break;
    case state::closed:
    case state::unused_and_closed:
    case state::closed_and_joining:
    case state::joined:
      break;
  }
}

detail::counted_association simple_counting_scope::try_associate() noexcept {
  const std::lock_guard guard(lock_);
  const bool is_open =
      state_ == state::unused || state_ == state::open || state_ == state::open_and_joining;
  if (!is_open || num_shares_ == max_associations) {
    return {};
  }
  ++num_shares_;
  state_ = state_ == state::unused ? state::open : state_;
  return detail::counted_association(this);
}

void simple_counting_scope::give_up_share() noexcept {
  detail::scope_waiter* ready = nullptr;
  {
    const std::lock_guard guard(lock_);
    const bool is_last = --num_shares_ == 0;
    if (is_last && (state_ == state::open_and_joining || state_ == state::closed_and_joining)) {
      state_ = state::joined;
      ready = std::exchange(waiters_, nullptr);
    }
  }
  while (ready != nullptr) {  // the scope may be destroyed from the first notification on
    detail::scope_waiter* const next = ready->next;
    ready->notify(*ready);
    ready = next;
  }
}

bool simple_counting_scope::start_join(detail::scope_waiter& waiter) noexcept {
  const std::lock_guard guard(lock_);
  if (num_shares_ == 0) {
    state_ = state::joined;
    return true;
  }
  const bool is_open = state_ == state::open || state_ == state::open_and_joining;
  state_ = is_open ? state::open_and_joining : state::closed_and_joining;
  waiter.next = waiters_;
  waiters_ = &waiter;
  return false;
}

}  // namespace weft::execution
