// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An action that the timer runs at a given time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "weft/base/durations.hpp"

namespace weft::tasks::detail {

using time_point = std::chrono::steady_clock::time_point;

/// An entry of the timer. The waiting code owns it.
///
/// Threads: `deadline` belongs to the owner while the alarm is not set; the other members belong to
///          the timer.
struct alarm {
  using claim_function = bool (*)(alarm& due) noexcept;
  using ring_function = void (*)(alarm& due) noexcept;
  alarm(time_point limit, claim_function claim_it, ring_function ring_it) noexcept
      : deadline(limit), claim(claim_it), ring(ring_it) {}
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;

  time_point deadline;
  claim_function claim;  // called under the timer's lock; false: another thread has ended the wait
  ring_function ring;    // called without the lock by the timer's thread; must not wait
  // In the heap: the first alarm due later, the next in the same list, and the pointer that points
  // to this alarm.
  alarm* child = nullptr;
  alarm* sibling = nullptr;
  alarm** link = nullptr;  // null: not in the heap
  enum class stage : std::uint8_t { idle, set, due, cancelled };
  stage at = stage::idle;  // state of an alarm set by `set_alarm`; under the timer's lock

 protected:
  ~alarm() = default;
};

/// Starts the timer's thread unless it runs. Errors: std::system_error.
void start_timer();

/// Calls `a.ring(a)` at its deadline, even if that has passed. False: it was cancelled before. Its
/// `claim` must be `&claim_alarm`.
/// Cost:    O(1), and a system call if no other alarm is due before it.
/// Threads: once, by the owner, after `start_timer()`.
[[nodiscard]] bool set_alarm(alarm& a) noexcept;

/// Prevents `a` from ringing. True: it was set, and the caller must end the wait for it.
/// False: it rings, has rung, or was not set yet and never will be.
/// Cost:    O(log n) amortised in the number of alarms set.
/// Threads: any, while `a` lives.
[[nodiscard]] bool cancel_alarm(alarm& a) noexcept;

[[nodiscard]] bool claim_alarm(alarm& due) noexcept;

/// Returns the time `duration` from now; the end of time if the clock cannot represent it.
template <class Rep, class Period>
time_point deadline_after(const std::chrono::duration<Rep, Period>& duration) noexcept {
  using clock = std::chrono::steady_clock;
  const time_point now = clock::now();
  using wide_seconds = std::chrono::duration<long double>;
  if (wide_seconds(duration) >= wide_seconds(time_point::max() - now)) {
    return time_point::max();
  }
  return now + std::chrono::ceil<clock::duration>(duration);
}

/// Converts `limit` to the clock that timed waits use.
template <class Clock, class Duration>
time_point deadline_at(const std::chrono::time_point<Clock, Duration>& limit) noexcept {
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    return std::chrono::time_point_cast<std::chrono::steady_clock::duration>(limit);
  } else {
    return deadline_after(limit - Clock::now());
  }
}

}  // namespace weft::tasks::detail
