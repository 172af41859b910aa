// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's own beginning of a loop, and whether what it leaves is shared.
#include "weft/algorithms/detail/prologue.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/tick_clock.hpp"

namespace weft::algorithms::detail {

float ns_per_tick() noexcept {
  static const auto ns = static_cast<float>(counters::seconds_per_tick() * 1e9);
  return ns;
}

namespace {

constexpr float least_patience_ns =
    30'000;  // what may be lost without a worker before one is woken
constexpr float most_patience_ns = 500'000;
constexpr float much_ns = 150'000;    // pays for waking one whatever came of it lately
constexpr float search_ns = 50'000;   // how long one who was woken stays awake for nothing
constexpr float memory_ns = 100'000;  // a gap after which such losses are forgotten

/// What a thread lost lately by leaving others asleep, and what came of waking them.
struct losses {
  tick_watch since;
  float rest_ns = 0;  // what there was to do then
  float lost_ns = 0;
  float patience_ns = least_patience_ns;
  bool has_woken = false;  // and has seen nobody awake since
};

/// What to run between the first two looks at the clock, where an element is expected to take
/// `ns_per_element`: all of a loop that is only looked at now and then.
[[nodiscard]] std::size_t first_block(std::size_t n,
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
[[nodiscard]] [[gnu::noinline]] float untimed_for(const cost_record& costs) noexcept {
  static constinit thread_local const cost_record* timed_last = nullptr;
  const bool is_again = timed_last == &costs;
  timed_last = is_again ? nullptr : &costs;
  return is_again ? 0 : untimed_ns;
}

}  // namespace

void note_alone(std::size_t n, float elapsed_ns) noexcept {
  if (elapsed_ns >= sure_ns) {
    counters::process_algorithms().count_alone(n);
  }
}

beginning run_beginning(const loop_shape& shape,
                        cost_record& costs,
                        const loop_body& body,
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
    const std::size_t count = body(done, last) - done;
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
        static_cast<void>(body(done, shape.n));
        note_alone(shape.n, now);
        done = shape.n;
      }
      return {.done = done, .ns_per_element = rate};
    }
    block = std::min(2 * count, elements_in(sure_ns, rate, shape.n));
    before = now;
  }
}

bool pays_to_share(bool is_anyone_awake, float rest_ns) noexcept {
  static thread_local losses lately;
  if (is_anyone_awake) {
    lately.has_woken = false;
    lately.patience_ns = least_patience_ns;
    return true;
  }
  if (lately.has_woken) {
    lately.has_woken = false;
    // The kernel may have put a worker onto the caller's own processor, in its place. Only so soon
    // is it strange that nobody is awake: later they have gone to sleep again.
    if (lately.since.elapsed_ns(ns_per_tick()) < lately.rest_ns / 2 + search_ns) {
      lately.patience_ns = std::min(2 * lately.patience_ns, most_patience_ns);
    }
  }
  if (rest_ns >= much_ns) {
    return true;
  }
  if (lately.since.elapsed_ns(ns_per_tick()) > memory_ns + 4 * lately.rest_ns) {
    lately.lost_ns = 0;
    lately.patience_ns = least_patience_ns;
  }
  lately.rest_ns = rest_ns;
  lately.lost_ns += rest_ns / 2;
  lately.since = tick_watch();
  if (lately.lost_ns < lately.patience_ns) {
    return false;
  }
  lately.lost_ns = 0;
  lately.has_woken = true;
  return true;
}

}  // namespace weft::algorithms::detail
