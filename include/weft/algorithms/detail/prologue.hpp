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
#include "weft/counters/algorithm_counts.hpp"

namespace weft::algorithms::detail {

/// What the clock has to say before others are woken.
inline constexpr float sure_ns = 1000;        // work to have seen before its rate is believed
inline constexpr float worthwhile_ns = 4000;  // work to be left for a second worker to pay
inline constexpr float chunk_ns = 2750;       // work that a chunk holds at least

/// From when on a loop is worth the help of others.
struct loop_limits {
  float short_ns = cost_record::short_ns;       // shorter ones are the caller's
  float worthwhile_ns = detail::worthwhile_ns;  // as above
  float chunk_ns = detail::chunk_ns;            // as above
};
/// Of loops in any order. Their parts go to who had them the last time, so that less pays; and half
/// of a chunk is soon made up for by others.
inline constexpr loop_limits unordered_limits{
    .short_ns = 3000, .worthwhile_ns = 2000, .chunk_ns = 1300};

/// Whether to share `rest_ns` of work: with who is awake always, else if waking somebody pays.
///
/// That costs more than a hand to who is looking for work. Little work is left to the caller,
/// unless there is so much of it lately that a worker would not have gone to sleep again; and each
/// time that somebody was woken and was asleep again by the next call, it takes twice as much.
[[nodiscard]] bool pays_to_share(bool is_anyone_awake, float rest_ns) noexcept;

/// Where the caller's own beginning ended.
struct beginning {
  std::size_t done = 0;      // n: there is nothing left
  float ns_per_element = 0;  // of what it did last, or the estimate
};

[[nodiscard]] inline std::size_t round_up(std::size_t n, std::size_t multiple) noexcept {
  return multiple <= 1 ? n : (n + multiple - 1) / multiple * multiple;
}

/// How many elements take `time_ns`: at least 1, at most `n`.
[[nodiscard]] inline std::size_t elements_in(float time_ns,
                                             float ns_per_element,
                                             std::size_t n) noexcept {
  const float count = time_ns / std::max(ns_per_element, 1e-6F);
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

/// Bodies of which a copy is as good as the original.
template <class Body>
inline constexpr bool is_handed_by_value =
    std::is_trivially_copyable_v<std::remove_const_t<Body>> && sizeof(Body) <= 128 &&
    std::is_invocable_v<const Body&, std::size_t, std::size_t>;

/// A body as functions that are not inlined get it: by value if that will do. Nobody has the
/// address of the original then, and what it holds stays in registers where it is inlined.
///
/// At the begin of a cache line, wherever it is linked to: short loops with several branches take
/// half as long again where all of them come to lie in one line, which nobody would know to mend.
template <class Body>
class handed_body {
 public:
  explicit handed_body(Body& body) noexcept : body_(body) {}
  [[gnu::noinline, gnu::aligned(64)]] decltype(auto) operator()(std::size_t first,
                                                                std::size_t last) const {
    return body_(first, last);
  }

 private:
  std::conditional_t<is_handed_by_value<Body>, const std::remove_const_t<Body>, Body&> body_;
};

/// Counts a loop over `n` elements that took `elapsed_ns` on the caller, unless it was very short.
inline void note_alone(std::size_t n, float elapsed_ns) noexcept {
  if (elapsed_ns >= sure_ns) {
    counters::process_algorithms().count_alone(n);
  }
}

/// What to run between the first two looks at the clock, where an element is expected to take
/// `ns_per_element`: all of a loop that is only looked at now and then.
[[nodiscard]] inline std::size_t first_block(std::size_t n,
                                             float ns_per_element,
                                             float short_ns) noexcept {
  constexpr float a_little_more = 1.25F;  // so that one block mostly is enough to be sure
  const bool is_short = ns_per_element * static_cast<float>(n) <= short_ns;
  return is_short ? n : elements_in(a_little_more * sure_ns, ns_per_element, n);
}

/// What may go untimed now that a loop with `costs` is timed: nothing if it is the same one as last
/// time, since loops in turns with it might never be timed else.
///
/// Not inlined, as is said of `ns_until_timed`.
[[nodiscard]] [[gnu::noinline]] inline float untimed_for(const cost_record& costs) noexcept {
  static constinit thread_local const cost_record* timed_last = nullptr;
  const bool is_again = timed_last == &costs;
  timed_last = is_again ? nullptr : &costs;
  return is_again ? 0 : untimed_ns;
}

/// Runs `body(first, last)` over growing blocks from the front until it is known that others should
/// help, or nothing is left. A body that returns where it stopped, and not `last`, ends the loop:
/// then `done` is n.
template <class Body>
[[nodiscard]] beginning run_beginning(const loop_shape& shape,
                                      cost_record& costs,
                                      Body& body,
                                      const loop_limits& limits) {
  let_go_untimed(untimed_for(costs));
  const float ns_of_a_tick = ns_per_tick();
  const float estimate = costs.ns_per_element();
  const bool is_known = estimate < std::numeric_limits<float>::max();
  if (is_known && estimate > sure_ns &&
      estimate * static_cast<float>(shape.n - 1) > limits.worthwhile_ns) {
    costs.fade();
    return {.done = 0, .ns_per_element = estimate};
  }
  std::size_t block = is_known ? first_block(shape.n, estimate, limits.short_ns) : 1;
  std::size_t done = 0;
  float before = 0;
  for (const tick_watch watch;;) {
    const std::size_t last = done + std::min(round_up(block, shape.multiple_of), shape.n - done);
    const std::size_t count = run_block(body, done, last) - done;
    const float now = watch.elapsed_ns(ns_of_a_tick);
    const float rate = (now - before) / static_cast<float>(std::max<std::size_t>(count, 1));
    if (last == shape.n || done + count != last) {
      costs.note(std::max<std::size_t>(done + count, 1), now);
      note_alone(done + count, now);
      return {.done = shape.n, .ns_per_element = rate};
    }
    done = last;
    if (now >= sure_ns) {
      costs.note(count, now - before);
      if (rate * static_cast<float>(shape.n - done) < limits.worthwhile_ns) {
        static_cast<void>(run_block(body, done, shape.n));
        note_alone(shape.n, now);
        done = shape.n;
      }
      return {.done = done, .ns_per_element = rate};
    }
    block = std::min(2 * count, elements_in(sure_ns, rate, shape.n));
    before = now;
  }
}

}  // namespace weft::algorithms::detail
