// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a tick is, for the caller's own beginning.
#include "weft/algorithms/detail/prologue.hpp"

#include <algorithm>

#include "weft/algorithms/detail/cost_record.hpp"
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

}  // namespace

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
