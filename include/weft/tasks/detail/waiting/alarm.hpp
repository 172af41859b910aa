// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The action of the timer at a given time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "weft/base/durations.hpp"

namespace weft::tasks::detail {

using time_point = std::chrono::steady_clock::time_point;

/// An entry of the timer. The waiting code owns it.
///
/// Threads: `deadline` is the owner's while the alarm is not set; the rest the timer's.
struct alarm {
  using claim_function = bool (*)(alarm& due) noexcept;
  using ring_function = void (*)(alarm& due) noexcept;
  alarm(time_point limit, claim_function claim_it, ring_function ring_it) noexcept
      : deadline(limit), claim(claim_it), ring(ring_it) {}
  alarm(const alarm&) = delete;
  alarm& operator=(const alarm&) = delete;

  time_point deadline;
  claim_function claim;  // under the timer's lock; false: somebody else has ended the wait
  ring_function ring;    // without it, by the timer's thread; must not wait
  // In the heap: the first of those due later, the next in the same list, and the entry that points
  // here.
  alarm* child = nullptr;
  alarm* sibling = nullptr;
  alarm** link = nullptr;  // null: not in the heap
  enum class stage : std::uint8_t { idle, set, due, cancelled };
  stage at = stage::idle;  // of one that `set_alarm` sets; under the timer's lock

 protected:
  ~alarm() = default;
};

/// Starts the timer's thread unless it runs. Errors: std::system_error.
void start_timer();

/// Calls `a.ring(a)` at its deadline, even if that has passed; false: it was cancelled before. Its
/// `claim` must be `&claim_alarm`.
/// Cost:    O(1), and a system call if no other alarm is due before it.
/// Threads: once, by the owner, after `start_timer()`.
[[nodiscard]] bool set_alarm(alarm& a) noexcept;

/// Sees to it that `a` does not ring. True: it was set, and the caller must end what waits for it.
/// False: it was not set yet and never will be, or rings or has rung.
/// Cost:    O(log n) amortised in the number of alarms set.
/// Threads: any, while `a` lives.
[[nodiscard]] bool cancel_alarm(alarm& a) noexcept;

[[nodiscard]] bool claim_alarm(alarm& due) noexcept;

/// The time `duration` from now; the end of time if that is later than a clock can tell.
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

/// `limit` on the clock that timed waits use.
template <class Clock, class Duration>
time_point deadline_at(const std::chrono::time_point<Clock, Duration>& limit) noexcept {
  if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
    return std::chrono::time_point_cast<std::chrono::steady_clock::duration>(limit);
  } else {
    return deadline_after(limit - Clock::now());
  }
}

}  // namespace weft::tasks::detail
