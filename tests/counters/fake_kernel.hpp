// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel whose events open, count and fail as a test says.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include <linux/perf_event.h>

#include "counters/families/perf/perf_kernel.hpp"

namespace weft::counters::test {

struct fake_event {
  perf_event_attr attr{};
  int thread_id = 0;
  int cpu = -1;
  int leader = -1;
  detail::raw_count raw{};
  bool was_enabled = false;
};

class fake_kernel final : public detail::perf_kernel {
 public:
  /// Says what `open` returns for an event: 0 for a descriptor, or minus an error code.
  std::function<int(const fake_event&)> answer = [](const fake_event&) { return 0; };
  /// Says what an event has counted once it was first enabled; the default is plausible for all.
  std::function<detail::raw_count(const fake_event&)> first_count = [](const fake_event&) {
    return detail::raw_count{.count = 1'000'000'000, .enabled_ns = 1000, .running_ns = 1000};
  };
  bool delivers = true;                        // false: reads fail
  const perf_event_mmap_page* page = nullptr;  // what is mapped of every event; null: nothing

  int open(const perf_event_attr& attr, const detail::event_target& target) override {
    const fake_event event{
        .attr = attr, .thread_id = target.thread_id, .cpu = target.cpu, .leader = target.leader};
    if (const int code = answer(event); code < 0) {
      return code;
    }
    events_[next_descriptor_] = event;
    return next_descriptor_++;
  }

  void set(int descriptor, detail::event_state state) noexcept override {
    fake_event& event = events_.at(descriptor);
    if (state == detail::event_state::counting && !event.was_enabled) {
      event.was_enabled = true;
      event.raw = first_count(event);
    }
  }

  std::optional<detail::raw_count> read(int descriptor) noexcept override {
    return delivers ? std::optional(events_.at(descriptor).raw) : std::nullopt;
  }

  void close(int descriptor) noexcept override { events_.erase(descriptor); }

  const perf_event_mmap_page* map(int /*descriptor*/) noexcept override { return page; }
  void unmap(const perf_event_mmap_page* /*page*/) noexcept override {}

  /// Lets every open event of this type and code count `more`.
  void count(std::uint32_t type, std::uint64_t config, const detail::raw_count& more) {
    for (auto& [descriptor, event] : events_) {
      if (event.attr.type == type && event.attr.config == config) {
        event.raw.count += more.count;
        event.raw.enabled_ns += more.enabled_ns;
        event.raw.running_ns += more.running_ns;
      }
    }
  }

  /// Lets every open event be scheduled for a while without counting.
  void pass_time(std::uint64_t duration_ns) {
    for (auto& [descriptor, event] : events_) {
      event.raw.enabled_ns += duration_ns;
      event.raw.running_ns += duration_ns;
    }
  }

  [[nodiscard]] const std::map<int, fake_event>& open_events() const { return events_; }

 private:
  std::map<int, fake_event> events_;
  int next_descriptor_ = 100;
};

}  // namespace weft::counters::test
