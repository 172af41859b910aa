// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller begins alone, with an eye on the clock, until it knows whether others are worth
// waking.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/counters/ticks.hpp"

namespace weft::algorithms::detail {

/// What the clock has to say before others are woken, in ticks.
struct wake_costs {
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

/// Runs `body(first, last)` over growing blocks from the front until it is known that others should
/// help, or nothing is left. `body` may return false to end the loop there: then `done` is n.
template <class Body>
[[nodiscard]] beginning run_beginning(const loop_shape& shape, cost_record& costs, Body& body) {
  const auto call = [&body](std::size_t first, std::size_t last) {
    if constexpr (std::is_void_v<decltype(body(first, last))>) {
      body(first, last);
      return true;
    } else {
      return static_cast<bool>(body(first, last));
    }
  };
  const wake_costs& limits = machine_wake_costs();
  const float estimate = costs.estimate();
  const bool is_known = estimate < limits.worthwhile * 1e6F;
  if (is_known && estimate > limits.sure && shape.n > 1) {
    return {.done = 0, .ticks_per_element = estimate};
  }
  std::size_t block = is_known ? elements_in(limits.sure / 2, estimate, shape.n) : 1;
  std::size_t done = 0;
  const std::uint64_t begun = counters::ticks_now();
  std::uint64_t before = begun;
  for (;;) {
    const std::size_t rest = shape.n - done;
    const std::size_t count = std::min(round_up(block, shape.multiple_of), rest);
    const bool goes_on = call(done, done + count);
    const std::uint64_t now = counters::ticks_now();
    const float rate = static_cast<float>(now - before) / static_cast<float>(count);
    done += count;
    if (done == shape.n || !goes_on) {
      costs.note(done, static_cast<float>(now - begun));
      return {.done = shape.n, .ticks_per_element = rate};
    }
    if (static_cast<float>(now - begun) >= limits.sure) {
      costs.note(count, static_cast<float>(now - before));
      if (rate * static_cast<float>(shape.n - done) < limits.worthwhile) {
        static_cast<void>(call(done, shape.n));
        done = shape.n;
      }
      return {.done = done, .ticks_per_element = rate};
    }
    block = std::min(2 * count, elements_in(limits.sure, rate, shape.n));
    before = now;
  }
}

}  // namespace weft::algorithms::detail
