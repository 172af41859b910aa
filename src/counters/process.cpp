// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the whole process: every source is started, stopped and read together.
#include "weft/counters/process.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <sys/resource.h>

#include "counters/catalog_rows.hpp"
#include "counters/environment.hpp"
#include "counters/kernel_counters.hpp"
#include "counters/machine_facts.hpp"
#include "counters/perf_kernel.hpp"
#include "counters/run_delay.hpp"

namespace weft::counters {
namespace {

using detail::catalog_row;
using detail::catalog_rows;
using detail::delay_result;
using detail::environment;
using detail::event_state;
using detail::kernel_value;
using detail::line_estimate_recipe;
using detail::process_usage;
using detail::run_delay_recipe;
using detail::usage_recipe;

constexpr double intel_line_bytes = 64;

process_usage read_usage() noexcept {
  process_usage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

}  // namespace

class process_session::state {
 public:
  explicit state(const environment& where)
      : kernel_(where),
        delay_(where.root),
        misses_are_memory_(detail::read_machine_facts(where.root).vendor == "GenuineIntel") {}

  void start() {
    if (is_fresh_) {
      delay_.begin();
      is_fresh_ = false;
    }
    kernel_.set(event_state::counting);
    at_start_ = read_usage();
  }

  void stop() {
    const process_usage at_stop = read_usage();
    kernel_.set(event_state::paused);
    const std::span<const catalog_row> rows = catalog_rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (const auto* how = std::get_if<usage_recipe>(&rows[i].how)) {
        usage_[i] += how->value(at_stop) - how->value(at_start_);
      }
    }
    has_stopped_ = true;
  }

  void reset() {
    std::ranges::fill(usage_, 0.0);
    kernel_.rebase();
    is_fresh_ = true;
    has_stopped_ = false;
  }

  [[nodiscard]] std::vector<reading> readings() const {
    std::vector<reading> result;
    for (const catalog_row& row : catalog_rows()) {
      reading& added = result.emplace_back();
      added.name = row.info.name;
      added.unit = row.info.unit;
      if (has_stopped_) {
        fill(row, result);
      } else {
        added.reason = "nothing counted yet: call start(), then stop()";
      }
    }
    return result;
  }

 private:
  /// Reads the row that was added last.
  void fill(const catalog_row& row, std::vector<reading>& readings) const {
    const std::size_t i = readings.size() - 1;
    reading& added = readings.back();
    if (std::holds_alternative<usage_recipe>(row.how)) {
      added.value = usage_[i];
    } else if (std::holds_alternative<run_delay_recipe>(row.how)) {
      delay_result delay = delay_.elapsed();
      added.includes_pauses = true;
      added.value = delay.seconds;
      added.reason = std::move(delay.reason);
    } else if (const auto* how = std::get_if<line_estimate_recipe>(&row.how)) {
      estimate(*std::ranges::find(readings, how->counter, &reading::name), added);
    } else {
      kernel_value found = kernel_.read(i);
      added.reason = std::move(found.reason);
      if (found.value) {
        added.value = found.value->value;
        added.scale = found.value->scale;
      }
    }
  }

  void estimate(const reading& misses, reading& volume) const {
    if (!misses_are_memory_) {
      volume.reason = "only on Intel does cache_misses mean misses of the last-level cache";
    } else if (!misses.value) {
      volume.reason = "needs cache_misses: " + misses.reason;
    } else {
      volume.value = *misses.value * intel_line_bytes;
      volume.scale = misses.scale;
    }
  }

  detail::kernel_counters kernel_;
  detail::run_delay_window delay_;
  bool misses_are_memory_;
  bool is_fresh_ = true;  // nothing started since construction or reset
  bool has_stopped_ = false;
  process_usage at_start_{};
  std::vector<double> usage_ = std::vector<double>(catalog_rows().size());
};

process_session::process_session() : process_session(environment{}) {}
process_session::process_session(const environment& where)
    : state_(std::make_unique<state>(where)) {}
process_session::~process_session() = default;
process_session::process_session(process_session&&) noexcept = default;
process_session& process_session::operator=(process_session&&) noexcept = default;

void process_session::start() { state_->start(); }
void process_session::stop() { state_->stop(); }
void process_session::reset() { state_->reset(); }
std::vector<reading> process_session::readings() const { return state_->readings(); }

}  // namespace weft::counters
