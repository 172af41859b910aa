// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One counter made of one kernel event per thread (or per memory controller), summed.
#include "counters/event_counter.hpp"

#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <linux/perf_event.h>

#include "counters/perf_kernel.hpp"

namespace weft::counters::detail {
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

std::optional<scaled_value> extrapolate(const event_sum& counted) noexcept {
  if (counted.running_ns <= 0) {
    return std::nullopt;
  }
  const double scale = counted.enabled_ns / counted.running_ns;
  return scaled_value{.value = counted.value * scale, .scale = scale};
}

event_counter::event_counter(perf_kernel& kernel,
                             std::vector<int> descriptors,
                             std::vector<double> units)
    : kernel_(&kernel), descriptors_(std::move(descriptors)), units_(std::move(units)) {}

event_counter::event_counter(event_counter&& other) noexcept
    : kernel_(other.kernel_),
      descriptors_(std::exchange(other.descriptors_, {})),
      units_(std::move(other.units_)),
      base_(other.base_) {}

event_counter& event_counter::operator=(event_counter&& other) noexcept {
  std::swap(kernel_, other.kernel_);
  descriptors_.swap(other.descriptors_);
  units_.swap(other.units_);
  std::swap(base_, other.base_);
  return *this;
}

event_counter::~event_counter() {
  for (const int descriptor : descriptors_) {
    kernel_->close(descriptor);
  }
}

void event_counter::set(event_state state) noexcept {
  for (const int descriptor : descriptors_) {
    kernel_->set(descriptor, state);
  }
}

void event_counter::rebase() noexcept { base_ = total().value_or(base_); }

std::optional<event_sum> event_counter::counted() const noexcept {
  const std::optional<event_sum> now = total();
  if (!now) {
    return std::nullopt;
  }
  return event_sum{.value = now->value - base_.value,
                   .enabled_ns = now->enabled_ns - base_.enabled_ns,
                   .running_ns = now->running_ns - base_.running_ns};
}

std::optional<event_sum> event_counter::total() const noexcept {
  event_sum sum;
  for (std::size_t i = 0; i < descriptors_.size(); ++i) {
    const std::optional<raw_count> raw = kernel_->read(descriptors_[i]);
    if (!raw) {
      return std::nullopt;
    }
    sum.value += units_[i] * static_cast<double>(raw->count);
    sum.enabled_ns += static_cast<double>(raw->enabled_ns);
    sum.running_ns += static_cast<double>(raw->running_ns);
  }
  return sum;
}

opened_counter open_counter(perf_kernel& kernel, const std::vector<event_place>& places) {
  std::vector<int> descriptors;
  std::vector<double> units;
  int error_code = -ESRCH;
  for (const event_place& place : places) {
    const descent whose = place.thread_id >= 0 ? descent::with_descendants : descent::alone;
    const int descriptor =
        kernel.open(describe(place.code, whose), {.thread_id = place.thread_id, .cpu = place.cpu});
    if (descriptor >= 0) {
      descriptors.push_back(descriptor);
      units.push_back(place.unit_per_count);
    } else if (descriptor != -ESRCH) {
      error_code = descriptor;
      break;
    }
  }
  const bool is_complete = !descriptors.empty() && error_code == -ESRCH;
  event_counter counter(kernel, std::move(descriptors), std::move(units));
  if (!is_complete) {
    return {.counter = std::nullopt, .error_code = error_code};
  }
  return {.counter = std::move(counter), .error_code = 0};
}

}  // namespace weft::counters::detail
