// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller begins alone, with an eye on the clock, until it knows whether others are worth
// waking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/counters/ticks.hpp"

namespace weft::algorithms::detail {

/// What the clock has to say before others are woken, in ticks.
struct wake_costs {
  float ticks_per_ns = 2.5F;
  float sure = 2500;         // work to have seen before its rate is believed
  float worthwhile = 20000;  // work to be left for a second worker to pay
  float chunk = 40000;       // work that a chunk should hold at least
};

/// Those of this machine.
[[nodiscard]] const wake_costs& machine_wake_costs() noexcept;

/// Where the caller's own beginning ended.
struct beginning {
  std::size_t done = 0;         // n: there is nothing left
  float ticks_per_element = 0;  // of what it did last, or the estimate
};

[[nodiscard]] inline std::size_t round_up(std::size_t n, std::size_t multiple) noexcept {
  return multiple <= 1 ? n : (n + multiple - 1) / multiple * multiple;
}

/// How many elements take `ticks`: at least 1, at most `n`.
[[nodiscard]] inline std::size_t elements_in(float ticks,
                                             float per_element,
                                             std::size_t n) noexcept {
  const float count = ticks / std::max(per_element, 1e-6F);
  return count < static_cast<float>(n) ? std::max<std::size_t>(1, static_cast<std::size_t>(count))
                                       : n;
}

/// Calls `body(first, last)`, which may return where it stopped; else that is `last`.
template <class Body>
[[gnu::always_inline]] inline std::size_t run_block(Body& body,
                                                    std::size_t first,
                                                    std::size_t last) {
  if constexpr (std::is_void_v<decltype(body(first, last))>) {
    body(first, last);
    return last;
  } else {
    return body(first, last);
  }
}

/// Loops that are known to be short and begin on this thread before the next one that is timed.
inline constexpr unsigned untimed_loops = 8;

/// Counts a loop over `n` elements that took `ticks` on the caller, unless it was very short.
void note_alone(std::size_t n, float ticks) noexcept;

/// Runs `body(first, last)` over growing blocks from the front until it is known that others should
/// help, or nothing is left. A body that returns where it stopped, and not `last`, ends the loop:
/// then `done` is n.
template <class Body>
[[nodiscard]] beginning run_beginning(const loop_shape& shape, cost_record& costs, Body& body) {
  loops_until_timed = untimed_loops;
  const wake_costs& limits = machine_wake_costs();
  const float estimate = costs.estimate();
  const bool is_known = estimate < std::numeric_limits<float>::max();
  if (is_known && estimate > limits.sure && shape.n > 1) {
    costs.fade();
    return {.done = 0, .ticks_per_element = estimate};
  }
  std::size_t block = is_known ? elements_in(limits.sure / 2, estimate, shape.n) : 1;
  std::size_t done = 0;
  const std::uint64_t begun = counters::ticks_now();
  std::uint64_t before = begun;
  for (;;) {
    const std::size_t last = done + std::min(round_up(block, shape.multiple_of), shape.n - done);
    const std::size_t count = run_block(body, done, last) - done;
    const std::uint64_t now = counters::ticks_now();
    const float rate =
        static_cast<float>(now - before) / static_cast<float>(std::max<std::size_t>(count, 1));
    if (last == shape.n || done + count != last) {
      costs.note(std::max<std::size_t>(done + count, 1), static_cast<float>(now - begun));
      note_alone(done + count, static_cast<float>(now - begun));
      return {.done = shape.n, .ticks_per_element = rate};
    }
    done = last;
    if (static_cast<float>(now - begun) >= limits.sure) {
      costs.note(count, static_cast<float>(now - before));
      if (rate * static_cast<float>(shape.n - done) < limits.worthwhile) {
        static_cast<void>(run_block(body, done, shape.n));
        note_alone(shape.n, limits.sure);
        done = shape.n;
      }
      return {.done = done, .ticks_per_element = rate};
    }
    block = std::min(2 * count, elements_in(limits.sure, rate, shape.n));
    before = now;
  }
}

}  // namespace weft::algorithms::detail
