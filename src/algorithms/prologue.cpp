// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the calling thread's own beginning of a loop, and decides whether the remainder is shared.
#include "weft/algorithms/detail/sharing/prologue.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>

#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/base/profile.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/tick_clock.hpp"

namespace weft::algorithms::detail {

float ns_per_tick() noexcept {
  static constinit std::atomic<float> exact{0};  // relaxed: the number orders nothing; 0: not known
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

constexpr float usual_wake_ns = 30'000;
constexpr float usual_search_ns = 50'000;
constexpr float much = 5;  // times a wake: work to wake a worker, whatever earlier wakes achieved
constexpr float most_patience_ns = 500'000;
constexpr float memory_ns = 100'000;  // a gap after which earlier losses are forgotten

[[nodiscard]] float in_ns(std::optional<double> known_us, float usual_ns) noexcept {
  return known_us ? static_cast<float>(1000 * *known_us) : usual_ns;
}

/// How long waking a worker takes here: the time that is lost without workers before one is woken.
[[nodiscard]] float wake_ns() noexcept {
  static const float ns = in_ns(base::profile().wake_us, usual_wake_ns);
  return ns;
}

/// How long a woken worker searches at least before it parks again.
[[nodiscard]] float search_ns() noexcept {
  static const float ns = in_ns(base::profile().spin_us, usual_search_ns);
  return ns;
}

/// The time that a thread recently lost by not waking workers, and the effect of waking them.
struct losses {
  tick_watch since;
  float rest_ns = 0;  // the work that was left then
  float lost_ns = 0;
  float patience_ns = wake_ns();
  bool has_woken = false;  // and has seen no worker awake since
};

constexpr float a_little_more = 1.25F;  // so that one block is mostly enough for a reliable rate
constexpr float most_sure_ns = 8000;    // work to time in the longest loops
constexpr float cold_ns = 200'000;      // time that loading code, pages and tables may take
// too few to spend one of them on a measurement that decides nothing
constexpr std::size_t few_elements = 64;

/// Returns the time of work after which its rate is reliable: a small part of the estimated rest,
/// `rest_ns`. A block begins with about a microsecond of cache misses. The rate decides how many
/// elements others take at once, so that microsecond must not dominate it.
[[nodiscard]] float sure_from(float rest_ns) noexcept {
  constexpr float small_part = 1.0F / 64;
  return std::clamp(small_part * rest_ns, sure_ns, most_sure_ns);
}

/// Returns how many elements to run between the first two readings of the clock, if an element is
/// expected to take `ns_per_element`. A loop expected to be short is run as a whole.
[[nodiscard]] std::size_t first_block(std::size_t n,
                                      float ns_per_element,
                                      float short_ns) noexcept {
  const float all_ns = ns_per_element * static_cast<float>(n);
  return all_ns <= short_ns ? n : elements_in(a_little_more * sure_from(all_ns), ns_per_element, n);
}

/// Returns how much work may now go untimed after a loop with `costs` is timed. If the previous
/// timed loop was the same one: none. Without this rule, loops that alternate with it might never
/// be timed.
///
/// Not inlined, for the reason given at `ns_until_timed`.
[[nodiscard]] [[gnu::noinline]] float untimed_for(const cost_record& costs) noexcept {
  static constinit thread_local const cost_record* timed_last = nullptr;
  const bool is_again = timed_last == &costs;
  timed_last = is_again ? nullptr : &costs;
  return is_again ? 0 : untimed_ns;
}

/// Whether the rate is that of the elements, and not of something that happened beside them. The
/// first elements of a program load code, pages and tables and query the processor; any block may
/// be interrupted.
[[nodiscard]] bool is_likely_rate(float rate, float rate_before, float block_ns) noexcept {
  constexpr float far_off = 4;
  return rate <= far_off * rate_before || block_ns >= cold_ns;
}

/// Whether the rate no longer falls with longer blocks, as it does while a block misses in caches.
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
  // With many elements, the cost of one more does not matter. A moderate estimate may then come
  // from a few elements that missed in caches.
  const float trusted_ns = shape.n <= few_elements ? sure_ns : 4 * sure_ns;
  if (is_known && estimate > trusted_ns &&
      estimate * static_cast<float>(shape.n - 1) > limits.worthwhile_ns) {
    costs.fade();
    return {.done = 0, .ns_per_element = estimate, .alone_ns = costs.shared_ns_per_element()};
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
    // an unlikely rate is recorded as one to measure again
    const auto note = [&](std::size_t n, float elapsed_ns) {
      costs.note(n, is_likely ? elapsed_ns : std::min(elapsed_ns, sure_ns * static_cast<float>(n)));
    };
    if (last == shape.n || done + count != last) {
      note(std::max<std::size_t>(done + count, 1), now);
      note_alone(done + count, now);
      return {.done = shape.n, .ns_per_element = rate, .alone_ns = rate};
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
      return {.done = done, .ns_per_element = rate, .alone_ns = rate};
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
    lately.patience_ns = wake_ns();
    return true;
  }
  if (lately.has_woken) {
    lately.has_woken = false;
    // The kernel may have run a worker on the calling thread's own processor, instead of beside it.
    // No worker awake is strange only this soon: later, workers have parked again.
    if (lately.since.elapsed_ns(ns_per_tick()) < lately.rest_ns / 2 + search_ns()) {
      lately.patience_ns = std::min(2 * lately.patience_ns, std::max(most_patience_ns, wake_ns()));
    }
  }
  if (rest_ns >= much * wake_ns()) {
    return true;
  }
  if (lately.since.elapsed_ns(ns_per_tick()) > memory_ns + 4 * lately.rest_ns) {
    lately.lost_ns = 0;
    lately.patience_ns = wake_ns();
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
