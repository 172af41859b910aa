// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's own beginning of a loop, and whether what it leaves is shared.
#include "weft/algorithms/detail/sharing/prologue.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/tick_clock.hpp"

namespace weft::algorithms::detail {

float ns_per_tick() noexcept {
  static constinit std::atomic<float> exact{0};  // relaxed: a number and nothing else; 0: not known
  if (const float known = exact.load(std::memory_order_relaxed); known != 0) {
    return known;
  }
  const counters::tick_length found = counters::tick_length_so_far();
  const auto ns = static_cast<float>(found.seconds * 1e9);
  if (found.is_exact) {
    exact.store(ns, std::memory_order_relaxed);
  }
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

constexpr float a_little_more = 1.25F;    // so that one block mostly is enough to be sure
constexpr float most_sure_ns = 8000;      // work to have seen of the longest loops
constexpr float cold_ns = 200'000;        // what loading code, pages and tables may take
constexpr std::size_t few_elements = 64;  // of which the caller should not measure one in vain

/// The work to see before its rate is believed, where `rest_ns` seem to be left: a small part of
/// that. A block begins with a microsecond of misses, which a rate must not be made of where it
/// says how many elements others take at once.
[[nodiscard]] float sure_from(float rest_ns) noexcept {
  constexpr float small_part = 1.0F / 64;
  return std::clamp(small_part * rest_ns, sure_ns, most_sure_ns);
}

/// What to run between the first two looks at the clock, where an element is expected to take
/// `ns_per_element`: all of a loop that is only looked at now and then.
[[nodiscard]] std::size_t first_block(std::size_t n,
                                      float ns_per_element,
                                      float short_ns) noexcept {
  const float all_ns = ns_per_element * static_cast<float>(n);
  return all_ns <= short_ns ? n : elements_in(a_little_more * sure_from(all_ns), ns_per_element, n);
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

/// Whether elements seem to take so long, and not what a block now and then does beside them: the
/// first ones of a program load code, pages and tables and ask what the processor can do, and any
/// may be interrupted.
[[nodiscard]] bool is_likely_rate(float rate, float rate_before, float block_ns) noexcept {
  constexpr float far_off = 4;
  return rate <= far_off * rate_before || block_ns >= cold_ns;
}

/// Whether longer blocks would not have a much lower rate, as they do while one misses in caches.
[[nodiscard]] bool has_settled(float rate, float rate_before, float block_ns) noexcept {
  constexpr float much_lower = 1.5F;
  return much_lower * rate >= rate_before || block_ns >= cold_ns;
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
  // What one element more takes does not matter where there are many: then an estimate that is not
  // high may be of a few elements that were cold.
  const float trusted_ns = shape.n <= few_elements ? sure_ns : 4 * sure_ns;
  if (is_known && estimate > trusted_ns &&
      estimate * static_cast<float>(shape.n - 1) > limits.worthwhile_ns) {
    costs.fade();
    return {.done = 0, .ns_per_element = estimate};
  }
  std::size_t block = is_known ? first_block(shape.n, estimate, limits.short_ns) : 1;
  std::size_t done = 0;
  float before = 0;
  float rate_before = is_known ? estimate : 0;
  for (const tick_watch watch;;) {
    const std::size_t last = done + std::min(round_up(block, shape.multiple_of), shape.n - done);
    const std::size_t count = body(done, last) - done;
    const float now = watch.elapsed_ns(ns_of_a_tick);
    const float block_ns = now - before;
    const float rate = block_ns / static_cast<float>(std::max<std::size_t>(count, 1));
    const bool is_likely = is_likely_rate(rate, rate_before, block_ns);
    const bool is_settled = is_known || has_settled(rate, rate_before, block_ns);
    const auto note = [&](std::size_t n, float elapsed_ns) {  // an unlikely rate as one to measure
      costs.note(n, is_likely ? elapsed_ns : std::min(elapsed_ns, sure_ns * static_cast<float>(n)));
    };
    if (last == shape.n || done + count != last) {
      note(std::max<std::size_t>(done + count, 1), now);
      note_alone(done + count, now);
      return {.done = shape.n, .ns_per_element = rate};
    }
    done = last;
    const float rest_ns = rate * static_cast<float>(shape.n - done);
    const float sure_at_ns = sure_from(rest_ns);
    if (block_ns >= sure_at_ns && ((is_likely && is_settled) || shape.n <= few_elements)) {
      note(count, block_ns);
      if (rest_ns < limits.worthwhile_ns) {
        static_cast<void>(body(done, shape.n));
        note_alone(shape.n, now);
        done = shape.n;
      }
      return {.done = done, .ns_per_element = rate};
    }
    block = std::min(2 * count, elements_in(a_little_more * sure_at_ns, rate, shape.n));
    before = now;
    rate_before = rate;
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
