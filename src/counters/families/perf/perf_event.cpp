// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel event on one thread or unit: its description, opening, reading and pausing.
#include "counters/families/perf/perf_event.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <linux/perf_event.h>
#include <unistd.h>

#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_page.hpp"

namespace weft::counters::detail {
namespace {

int calling_thread() noexcept {
  static thread_local const int id = ::gettid();
  return id;
}

/// The difference of two readings. One may be by system call and the other by register, and their
/// clocks differ in the last nanosecond.
std::uint64_t grown(std::uint64_t before, std::uint64_t now) { return now - std::min(now, before); }

raw_count grown(const raw_count& before, const raw_count& now) {
  return {.count = grown(before.count, now.count),
          .enabled_ns = grown(before.enabled_ns, now.enabled_ns),
          .running_ns = grown(before.running_ns, now.running_ns)};
}

}  // namespace

perf_event_attr describe(const event_code& code, descent whose) noexcept {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = code.type;
  event.config = code.config;
  event.config1 = code.config1;
  event.config2 = code.config2;
  event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  event.disabled = 1;
  event.inherit = whose == descent::with_descendants ? 1 : 0;
  event.exclude_kernel = code.is_user_only ? 1 : 0;
  event.exclude_hv = code.is_user_only ? 1 : 0;
  return event;
}

void extrapolated_sum::add(const raw_count& raw, double unit_per_count) noexcept {
  const auto count = static_cast<double>(raw.count);
  const bool was_shared = raw.running_ns < raw.enabled_ns;
  if (was_shared && raw.running_ns == 0) {
    is_complete = false;
    return;
  }
  const double scale =
      was_shared ? static_cast<double>(raw.enabled_ns) / static_cast<double>(raw.running_ns) : 1;
  num_events += count;
  counted += count * unit_per_count;
  value += count * unit_per_count * scale;
}

open_event::open_event(perf_kernel& kernel,
                       int descriptor,
                       double unit_per_count,
                       int thread_id) noexcept
    : kernel_(&kernel),
      descriptor_(descriptor),
      unit_per_count_(unit_per_count),
      thread_id_(thread_id) {}

open_event::open_event(open_event&& other) noexcept
    : kernel_(other.kernel_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      unit_per_count_(other.unit_per_count_),
      thread_id_(other.thread_id_),
      page_(std::exchange(other.page_, nullptr)),
      base_(other.base_),
      is_paused_(other.is_paused_),
      at_pause_(other.at_pause_) {}

open_event& open_event::operator=(open_event&& other) noexcept {
  std::swap(kernel_, other.kernel_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(unit_per_count_, other.unit_per_count_);
  std::swap(thread_id_, other.thread_id_);
  std::swap(page_, other.page_);
  std::swap(base_, other.base_);
  std::swap(is_paused_, other.is_paused_);
  std::swap(at_pause_, other.at_pause_);
  return *this;
}

open_event::~open_event() {
  if (page_ != nullptr) {
    kernel_->unmap(page_);
  }
  if (descriptor_ >= 0) {
    kernel_->close(descriptor_);
  }
}

std::optional<raw_count> open_event::total(const processor_registers& processor) noexcept {
  if (thread_id_ == calling_thread() && processor.counter != nullptr) {
    if (page_ == nullptr) {
      page_ = kernel_->map(descriptor_);
    }
    if (const auto by_register = page_ != nullptr ? read_page(*page_, processor) : std::nullopt) {
      return by_register;
    }
  }
  return kernel_->read(descriptor_);
}

std::optional<raw_count> open_event::counted(const processor_registers& processor) noexcept {
  const std::optional<raw_count> now = is_paused_ ? at_pause_ : total(processor);
  return now ? std::optional(grown(base_, *now)) : std::nullopt;
}

void open_event::rebase(const processor_registers& processor) noexcept {
  is_paused_ = false;
  base_ = total(processor).value_or(base_);
}

void open_event::pause(const processor_registers& processor) noexcept {
  at_pause_ = total(processor);
  is_paused_ = true;
}

void open_event::resume(const processor_registers& processor) noexcept {
  const std::optional<raw_count> now = total(processor);
  if (!now || !at_pause_) {
    return;  // it stays paused, without a value if there was none
  }
  is_paused_ = false;
  const raw_count meanwhile = grown(*at_pause_, *now);
  base_.count += meanwhile.count;
  base_.enabled_ns += meanwhile.enabled_ns;
  base_.running_ns += meanwhile.running_ns;
}

}  // namespace weft::counters::detail
