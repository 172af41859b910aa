// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a counter among readings, and plants the machine that is read.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/registry.hpp"

#include "counters/families/builtin.hpp"
#include "counters/families/os.hpp"
#include "counters/families/perf/perf_families.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "lab/harness/process_readings.hpp"

namespace weft::lab::test {

inline process_reading find(const std::vector<process_reading>& readings, std::string_view name) {
  const auto found = std::ranges::find(readings, name, &process_reading::name);
  if (found == readings.end()) {
    throw std::out_of_range("no reading called " + std::string(name));
  }
  return *found;
}

/// The counters of a machine whose proc/ and sys/ are in `root`.
class planted_counters {
 public:
  explicit planted_counters(
      std::filesystem::path root,
      counters::detail::perf_kernel& kernel = counters::detail::running_kernel())
      : root_(std::move(root)), all_(std::make_unique<counters::registry>()) {
    using counters::detail::add_families;
    add_families(*all_, kept_, counters::detail::os_families({.root = root_}));
    add_families(*all_,
                 kept_,
                 counters::detail::perf_families({.where = {.root = root_, .kernel = &kernel}}));
  }

  /// Lives no longer than this.
  [[nodiscard]] process_readings session() const { return process_readings(*all_, root_); }

 private:
  std::filesystem::path root_;
  std::unique_ptr<counters::registry> all_;
  std::vector<counters::registration> kept_;
};

}  // namespace weft::lab::test
