// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting with a time limit. The first to claim the waiter, a resumer or the timer, ends the wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "weft/base/durations.hpp"
#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

/// A waiter that is in the timer's heap, too.
struct timed_waiter : waiter, alarm {
  timed_waiter(const wait_reason& reason, time_point limit) noexcept
      : waiter(reason), alarm(limit, &claim_waiter, &resume_waiter) {
    is_timed = true;
  }

  [[nodiscard]] bool is_timed_out() const noexcept {
    return claims.load(std::memory_order_acquire) == claimed_by_timer;
  }

 private:
  static bool claim_waiter(alarm& due) noexcept {
    return static_cast<timed_waiter&>(due).claim_as(claimed_by_timer);
  }
  static void resume_waiter(alarm& due) noexcept;
};

/// Puts a waiter into the timer's heap. It cannot fire before this object is destroyed, and by then
/// its primitive has enlisted it. So locks are taken in the order timer, primitive.
class arming {
 public:
  explicit arming(timed_waiter& node) noexcept;
  ~arming();
  arming(const arming&) = delete;
  arming& operator=(const arming&) = delete;

  /// Removes the waiter from the heap.
  void revoke(timed_waiter& node) noexcept;

 private:
  bool is_first_;
};

/// As `suspend`, for an enlistment that arms the timer.
/// Errors:  as `suspend`; std::system_error if the timer's thread cannot be started.
void suspend_with_timer(enlistment& e, timed_waiter& node);

/// As `wait`, until `deadline` at most. False: the time limit has passed and `withdraw(node)` has
/// been called. `withdraw` removes the node from its queue if it is still there, under the lock
/// under which resumers claim nodes. A resumer resumes only nodes that it could claim: `if
/// (node.claim()) resume(node)`.
template <class Enlist, class Withdraw>
bool wait_until(const wait_reason& why, time_point deadline, Enlist enlist, Withdraw withdraw) {
  static_assert(std::is_nothrow_invocable_r_v<bool, Enlist&, waiter&>);
  static_assert(std::is_nothrow_invocable_v<Withdraw&, waiter&>);
  struct caller : enlistment {
    caller(timed_waiter& who, Enlist& body) noexcept
        : enlistment(who,
                     [](enlistment& e, waiter& w) noexcept -> bool {
                       auto& timed = static_cast<timed_waiter&>(w);
                       arming armed(timed);
                       if ((*static_cast<caller&>(e).body_)(w)) {
                         return true;
                       }
                       armed.revoke(timed);
                       return false;
                     }),
          body_(std::addressof(body)) {}
    Enlist* body_;
  };
  if (deadline <= std::chrono::steady_clock::now()) {
    return false;
  }
  timed_waiter node(why, deadline);
  caller call(node, enlist);
  suspend_with_timer(call, node);
  if (!node.is_timed_out()) {
    return true;
  }
  withdraw(static_cast<waiter&>(node));
  return false;
}

}  // namespace weft::tasks::detail
