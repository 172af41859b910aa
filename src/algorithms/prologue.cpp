// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a tick is, for the caller's own beginning.
#include "weft/algorithms/detail/prologue.hpp"

#include "weft/algorithms/detail/cost_record.hpp"
#include "weft/counters/tick_clock.hpp"

namespace weft::algorithms::detail {

float ns_per_tick() noexcept {
  static const auto ns = static_cast<float>(counters::seconds_per_tick() * 1e9);
  return ns;
}

namespace {

constexpr float much_ns = 60'000;  // work that pays for waking a worker of this or a busy machine
constexpr float patience_ns = 30'000;  // time that may be lost without one before one is woken
constexpr float memory_ns = 100'000;   // a gap after which such losses are forgotten

/// What a thread lost lately by leaving others asleep.
struct losses {
  tick_watch since;
  float lost_ns = 0;
};

}  // namespace

bool pays_to_wake(float rest_ns) noexcept {
  if (rest_ns >= much_ns) {
    return true;
  }
  static thread_local losses lately;
  if (lately.since.elapsed_ns(ns_per_tick()) > memory_ns) {
    lately.lost_ns = 0;
  }
  lately.lost_ns += rest_ns / 2;
  lately.since = tick_watch();
  if (lately.lost_ns < patience_ns) {
    return false;
  }
  lately.lost_ns = 0;
  return true;
}

}  // namespace weft::algorithms::detail
