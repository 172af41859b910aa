// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system calls that kernel counters need; tests replace them.
#pragma once

#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

namespace weft::counters::detail {

/// The kernel's report about one event, in the layout of its read format.
/// Units:   times in ns.
struct raw_count {
  std::uint64_t count = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;  // < enabled_ns: the event shared its hardware counter
};

enum class event_state : std::uint8_t { counting, paused };

/// The target that an event counts.
struct event_target {
  int thread_id = 0;  // 0: the caller, -1: every thread
  int cpu = -1;       // -1: any
  int leader = -1;    // descriptor of the event that leads its group; -1: none
};

class perf_kernel {
 public:
  perf_kernel() = default;
  perf_kernel(const perf_kernel&) = delete;
  perf_kernel& operator=(const perf_kernel&) = delete;
  virtual ~perf_kernel() = default;

  /// Returns a descriptor, or the negative error code.
  virtual int open(const perf_event_attr& event, const event_target& target) = 0;
  virtual void set(int descriptor, event_state state) noexcept = 0;
  virtual std::optional<raw_count> read(int descriptor) noexcept = 0;
  virtual void close(int descriptor) noexcept = 0;

  /// Maps the page that the kernel shows to the counted thread; null if it shows none.
  virtual const perf_event_mmap_page* map(int descriptor) noexcept = 0;
  virtual void unmap(const perf_event_mmap_page* page) noexcept = 0;
};

/// The kernel this process runs on.
[[nodiscard]] perf_kernel& running_kernel();

}  // namespace weft::counters::detail
