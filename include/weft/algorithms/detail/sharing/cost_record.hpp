// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What elements of a loop cost, so that short loops are known without a look at the clock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "weft/counters/ticks.hpp"

namespace weft::algorithms::detail {

/// A loop over n elements that may be cut.
struct loop_shape {
  std::size_t n = 0;
  std::size_t bytes_per_element = 0;  // that it moves; 0: not known
  std::size_t multiple_of = 1;        // borders of chunks are multiples of this
};

/// How long a tick of the processor's clock is. Cost: a load, after the first call.
[[nodiscard]] float ns_per_tick() noexcept;

/// A start time, to measure the time since.
class tick_watch {
 public:
  tick_watch() noexcept : begun_(counters::ticks_now()) {}
  /// At least a tick, also if the code went on on a processor whose clock is behind.
  [[nodiscard]] float elapsed_ns(float ns_of_a_tick) const noexcept {
    const auto ticks = static_cast<std::int64_t>(counters::ticks_now() - begun_);
    return ticks < 1 ? ns_of_a_tick : static_cast<float>(ticks) * ns_of_a_tick;
  }

 private:
  std::uint64_t begun_;
};

/// The estimated time that this thread's short loops may take until the next one is timed. Two
/// clock reads take about a hundredth of this time.
inline constexpr float untimed_ns = 8000;
/// Compilers keep the addresses of thread-local variables, also across waits after which a task
/// resumes on another thread. So only `is_short` reads and writes it in place (on x86-64 by the
/// thread's register and a constant); other code uses the functions below. Not `thread_local`, for
/// which nvcc warns of the attribute.
[[gnu::tls_model("initial-exec")]] inline constinit __thread float ns_until_timed = 0;

/// The time that the calling thread's short loops may take from now on.
[[gnu::noinline]] inline void let_go_untimed(float ns) noexcept { ns_until_timed = ns; }
[[gnu::noinline]] inline void count_untimed(float ns) noexcept { ns_until_timed -= ns; }
[[nodiscard]] [[gnu::noinline]] inline bool may_go_untimed() noexcept { return ns_until_timed > 0; }

/// What elements cost where a loop is written, one object per instantiation of an algorithm.
///
/// Threads: any; all is relaxed, since a wrong estimate costs time and nothing else.
class cost_record {
 public:
  /// Loops with a shorter estimate run on the calling thread, mostly untimed. Waking another worker
  /// costs about as much, so sharing would not pay.
  static constexpr float short_ns = 4000;
  /// The least time that an untimed loop counts for: at most 64 loops stay untimed, however short
  /// they were.
  static constexpr float call_ns = untimed_ns / 64;

  /// Whether a loop over `n` elements is known to be too short for others to help.
  [[gnu::always_inline]] [[nodiscard]] bool is_short(std::size_t n,
                                                     float limit_ns = short_ns) const noexcept {
    // The cast by way of a signed number is one instruction.
    const float expected_ns = ns_per_element() * static_cast<float>(static_cast<std::ptrdiff_t>(n));
    return expected_ns <= limit_ns && (ns_until_timed -= expected_ns + call_ns) > 0;
  }

  /// Infinite: not known.
  [[nodiscard]] float ns_per_element() const noexcept {
    return estimate_.load(std::memory_order_relaxed);
  }

  /// Trusts an estimate less that was used without measuring again: one from a cold start would
  /// otherwise stay for ever.
  void fade() noexcept { estimate_.store(ns_per_element() / 2, std::memory_order_relaxed); }

  /// Notes what `n` elements took one of several. Alone, each might take it twice as long: what the
  /// caches of others hold is far then. So loops that are shared go on to be.
  void note_shared(std::size_t n, float elapsed_ns) noexcept {
    shared_.store(elapsed_ns / static_cast<float>(n), std::memory_order_relaxed);
    note(n, 2 * elapsed_ns);
  }

  /// Returns what an element took the calling thread in the last shared call. 0: there was none.
  [[nodiscard]] float shared_ns_per_element() const noexcept {
    return shared_.load(std::memory_order_relaxed);
  }

  /// Notes that `n` elements took `elapsed_ns`. An estimate that is far off is dropped.
  void note(std::size_t n, float elapsed_ns) noexcept {
    constexpr float far_off = 4;
    const float fresh = elapsed_ns / static_cast<float>(n);
    const float old = ns_per_element();
    const bool is_near = old < far_off * fresh && fresh < far_off * old;
    estimate_.store(is_near ? old + (fresh - old) / far_off : fresh, std::memory_order_relaxed);
  }

 private:
  std::atomic<float> estimate_{std::numeric_limits<float>::infinity()};
  std::atomic<float> shared_{0};
};

}  // namespace weft::algorithms::detail
