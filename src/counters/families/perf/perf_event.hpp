// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel event on one thread or unit: its description, opening, reading and pausing.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_page.hpp"

namespace weft::counters::detail {

/// The kernel's identification of an event.
struct event_code {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint64_t config2 = 0;
  // false if a unit cannot tell modes apart, or if kernel mode is to be counted
  bool is_user_only = true;

  friend bool operator==(const event_code&, const event_code&) = default;
};

/// The place where an event counts, and the value of one count in the counter's unit.
struct event_place {
  event_code code;
  int thread_id = 0;  // -1: every thread
  int cpu = -1;       // -1: every CPU
  double unit_per_count = 1;
};

/// Whether threads that the counted thread starts later count, too.
enum class descent : std::uint8_t { alone, with_descendants };

/// Returns the kernel's description of the event: not yet enabled, and read together with its
/// times.
[[nodiscard]] perf_event_attr describe(const event_code& code, descent whose) noexcept;

/// The sum of several events, each extrapolated separately.
///
/// Source: perf_event_open(2), "Reading results".
struct extrapolated_sum {
  double value = 0;
  double counted = 0;       // in the value's unit, before extrapolation
  double num_events = 0;    // before extrapolation
  bool is_complete = true;  // false: an event never ran while it was enabled

  void add(const raw_count& raw, double unit_per_count) noexcept;
};

/// An open event. The destructor closes it.
class open_event {
 public:
  open_event(perf_kernel& kernel, int descriptor, double unit_per_count, int thread_id) noexcept;
  open_event(open_event&& other) noexcept;
  open_event& operator=(open_event&& other) noexcept;
  ~open_event();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] int thread_id() const noexcept { return thread_id_; }
  [[nodiscard]] double unit_per_count() const noexcept { return unit_per_count_; }
  /// Returns the count since the last `rebase`; nothing if the kernel delivers no value. Reads a
  /// register if `processor` and the kernel allow that for the calling thread.
  [[nodiscard]] std::optional<raw_count> counted(const processor_registers& processor) noexcept;
  void rebase(const processor_registers& processor) noexcept;
  /// Between `pause` and `resume` nothing is counted.
  void pause(const processor_registers& processor) noexcept;
  void resume(const processor_registers& processor) noexcept;

 private:
  [[nodiscard]] std::optional<raw_count> total(const processor_registers& processor) noexcept;

  perf_kernel* kernel_;
  int descriptor_;
  double unit_per_count_;
  int thread_id_;  // 0: not a single thread's event
  const perf_event_mmap_page* page_ = nullptr;
  raw_count base_;
  bool is_paused_ = false;
  std::optional<raw_count> at_pause_;  // nothing: the kernel delivered no value
};

}  // namespace weft::counters::detail
