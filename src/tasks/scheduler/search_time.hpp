// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a worker without tasks searches before it parks, and how long it waits before it
// searches.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "weft/base/profile.hpp"

namespace weft::tasks::detail {

/// A few times the cost of parking and waking. The machine profile may name another time.
inline constexpr std::uint32_t shortest_search_us = 50;
/// A program may take this long between two parallel loops and still find its workers searching.
inline constexpr std::uint32_t longest_search_us = 1000;

/// Returns the time that the machine profile names, else `shortest_search_us`.
[[nodiscard]] inline std::uint32_t shortest_search_here_us() noexcept {
  static const auto us =
      static_cast<std::uint32_t>(base::profile().spin_us.value_or(shortest_search_us));
  return us;
}

/// The least and the longest time of a search.
struct search_limits {
  std::uint32_t shortest_us = shortest_search_us;
  std::uint32_t longest_us = longest_search_us;
};

/// Returns how long a worker searches next. It has searched for `before_us`, and was then parked
/// for `slept` until it was woken, for optional work or for another task.
///
/// Work is often offered loop after loop. If a slightly longer search would have saved a wake, the
/// search time doubles, up to the limit. Nothing is known about the arrival of other tasks.
[[nodiscard]] constexpr std::uint32_t next_search_us(std::uint32_t before_us,
                                                     bool is_for_optional,
                                                     std::chrono::nanoseconds slept,
                                                     search_limits limits = {}) {
  const std::uint32_t shortest_us = std::min(limits.shortest_us, limits.longest_us);
  if (!is_for_optional) {
    return shortest_us;
  }
  const std::uint32_t next_us =
      slept < std::chrono::microseconds(limits.longest_us) ? 2 * before_us : before_us / 2;
  return std::clamp(next_us, shortest_us, limits.longest_us);
}

/// Times of the last events of a worker that searches now.
struct steal_times {
  using time_point = std::chrono::steady_clock::time_point;
  time_point found_at;        // its last successful steal
  time_point stolen_from_at;  // the last steal from this worker
  // since when it waits at a join for a stolen task; else not set
  time_point joined_at = time_point();
};

/// Returns how long two workers worked in parallel because of the last steal.
///
/// The thief works until it has finished the stolen task. The victim works until it reaches the
/// join; without the steal it would have run the task itself then.
[[nodiscard]] constexpr std::chrono::nanoseconds gained_by(const steal_times& times,
                                                           steal_times::time_point now) {
  const bool waits_at_join = times.joined_at > times.found_at;
  return waits_at_join ? times.joined_at - std::max(times.found_at, times.stolen_from_at)
                       : now - times.found_at;
}

/// Returns how long a worker refrains from stealing after a steal that gained `gained`, and after a
/// pause of `before`.
///
/// A stolen task costs thief and victim together 300 to 400 ns. If tasks are shorter, the worker
/// that makes them is faster alone.
[[nodiscard]] constexpr std::chrono::nanoseconds next_back_off(std::chrono::nanoseconds before,
                                                               std::chrono::nanoseconds gained) {
  using namespace std::chrono_literals;
  return gained >= 450ns ? 0ns : std::clamp<std::chrono::nanoseconds>(2 * before, 500ns, 16us);
}

}  // namespace weft::tasks::detail
