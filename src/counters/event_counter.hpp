// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One counter made of one kernel event per thread (or per memory controller), summed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <linux/perf_event.h>

#include "counters/perf_kernel.hpp"

namespace weft::counters::detail {

/// An event as the kernel names it.
struct event_code {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  bool is_user_only = true;  // false where a unit cannot tell modes, or kernel mode is the point
  friend bool operator==(const event_code&, const event_code&) = default;
};

/// Where an event counts, and what one count is worth in the counter's unit.
struct event_place {
  event_code code;
  int thread_id = 0;  // -1: every thread
  int cpu = -1;       // -1: every CPU
  double unit_per_count = 1;
};

/// Whether threads that the counted one starts later count too.
enum class descent : std::uint8_t { alone, with_descendants };

/// The event as the kernel wants it described: paused, its times read with it.
[[nodiscard]] perf_event_attr describe(const event_code& code, descent whose) noexcept;

/// A count in the counter's unit, extrapolated by `scale` if the kernel multiplexed.
struct scaled_value {
  double value = 0;
  double scale = 1;
};

/// A sum over places; times are sums too.
struct event_sum {
  double value = 0;  // as counted, in the counter's unit
  double enabled_ns = 0;
  double running_ns = 0;
};

/// Returns value * enabled / running, or nothing if the event never ran while it was enabled.
///
/// Source: perf_event_open(2), "Reading results".
[[nodiscard]] std::optional<scaled_value> extrapolate(const event_sum& counted) noexcept;

class event_counter {
 public:
  /// Owns `descriptors`, all paused; one count of descriptor i is worth `units[i]`.
  event_counter(perf_kernel& kernel, std::vector<int> descriptors, std::vector<double> units);
  event_counter(event_counter&& other) noexcept;
  event_counter& operator=(event_counter&& other) noexcept;
  ~event_counter();

  void set(event_state state) noexcept;
  /// Counts from here: what was counted before is subtracted from every later value.
  void rebase() noexcept;
  /// Returns what was counted since the last `rebase()`, or nothing if a descriptor fails.
  [[nodiscard]] std::optional<event_sum> counted() const noexcept;

 private:
  [[nodiscard]] std::optional<event_sum> total() const noexcept;

  perf_kernel* kernel_;
  std::vector<int> descriptors_;
  std::vector<double> units_;
  event_sum base_;
};

/// A counter, or minus the code (`-ENOENT`) of the error that prevented it.
struct opened_counter {
  std::optional<event_counter> counter;
  int error_code = 0;
};

/// Opens the event at every place, paused; a thread that has ended meanwhile is left out.
[[nodiscard]] opened_counter open_counter(perf_kernel& kernel,
                                          const std::vector<event_place>& places);

}  // namespace weft::counters::detail
