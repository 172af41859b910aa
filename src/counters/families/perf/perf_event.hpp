// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel event on one thread or unit: how it is described, opened, read and paused.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_page.hpp"

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

/// The event as the kernel wants it described: not yet enabled, its times read with it.
[[nodiscard]] perf_event_attr describe(const event_code& code, descent whose) noexcept;

/// Sums of events, each extrapolated by itself.
///
/// Source: perf_event_open(2), "Reading results".
struct extrapolated_sum {
  double value = 0;
  double counted = 0;       // in the value's unit, before it was extrapolated
  double num_events = 0;    // that were counted
  bool is_complete = true;  // false: an event never ran while it was enabled

  void add(const raw_count& raw, double unit_per_count) noexcept;
};

/// An open event; closes it when destroyed.
class open_event {
 public:
  open_event(perf_kernel& kernel, int descriptor, double unit_per_count, int thread_id) noexcept;
  open_event(open_event&& other) noexcept;
  open_event& operator=(open_event&& other) noexcept;
  ~open_event();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] int thread_id() const noexcept { return thread_id_; }
  [[nodiscard]] double unit_per_count() const noexcept { return unit_per_count_; }
  /// What was counted since the last `rebase`, by a register where `processor` and the kernel let
  /// the calling thread; nothing if the kernel delivers nothing.
  [[nodiscard]] std::optional<raw_count> counted(const processor_registers& processor) noexcept;
  void rebase(const processor_registers& processor) noexcept;
  /// From `pause` to `resume` nothing counts.
  void pause(const processor_registers& processor) noexcept;
  void resume(const processor_registers& processor) noexcept;

 private:
  [[nodiscard]] std::optional<raw_count> total(const processor_registers& processor) noexcept;

  perf_kernel* kernel_;
  int descriptor_;
  double unit_per_count_;
  int thread_id_;  // 0: not of one thread alone
  const perf_event_mmap_page* page_ = nullptr;
  raw_count base_;
  bool is_paused_ = false;
  std::optional<raw_count> at_pause_;  // nothing: the kernel delivered nothing
};

}  // namespace weft::counters::detail
