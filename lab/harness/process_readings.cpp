// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session that is stopped except during the intervals to count.
#include "lab/harness/process_readings.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "weft/base/text_file.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

namespace weft::lab {
namespace {

std::string full_name(const recorded_counter& row) {
  return to_string(counters::complete(counters::parse_counter_name(row.counter)));
}

std::vector<std::string> names_in_registry() {
  std::vector<std::string> names;
  for (const recorded_counter& row : recorded_counters) {
    if (!row.counter.empty()) {
      names.push_back(full_name(row));
    }
  }
  return names;
}

process_reading reading_of(const recorded_counter& row) {
  process_reading made;
  made.name = row.name;
  made.unit = row.unit;
  return made;
}

void fill(process_reading& made,
          const recorded_counter& row,
          const counters::session_reading& found) {
  made.reason = found.value.reason;
  made.includes_pauses = found.includes_pauses;
  if (found.value.value) {
    const auto* whole = std::get_if<std::int64_t>(&*found.value.value);
    made.value = row.unit_per_count * (whole != nullptr ? static_cast<double>(*whole)
                                                        : std::get<double>(*found.value.value));
  }
  if (found.value.sampled) {
    made.scale = found.value.sampled->one_in;
  }
}

void estimate(process_reading& volume,
              const recorded_counter& row,
              const process_reading& misses,
              bool misses_are_memory) {
  if (!misses_are_memory) {
    volume.reason = "only on Intel does cache_misses mean misses of the last-level cache";
  } else if (!misses.value) {
    volume.reason = "needs cache_misses: " + misses.reason;
  } else {
    volume.value = *misses.value * row.unit_per_count;
    volume.scale = misses.scale;
  }
}

}  // namespace

process_readings::process_readings(counters::registry& from, const std::filesystem::path& root)
    : session_(names_in_registry(), from),
      misses_are_memory_(base::keyed_value(base::read_lines(root / "proc/cpuinfo"), "vendor_id") ==
                         "GenuineIntel") {
  session_.stop();
}

void process_readings::start() { session_.start(); }

void process_readings::stop() {
  session_.stop();
  has_stopped_ = true;
}

void process_readings::reset() {
  session_.reset();
  has_stopped_ = false;
}

std::vector<process_reading> process_readings::readings() {
  std::vector<process_reading> made;
  const counters::session_readings found = session_.evaluate();
  auto next = found.values.begin();
  for (const recorded_counter& row : recorded_counters) {
    process_reading& added = made.emplace_back(reading_of(row));
    if (!has_stopped_) {
      added.reason = "nothing counted yet: call start(), then stop()";
    } else if (row.counter.empty()) {
      const auto misses = std::ranges::find(made, "cache_misses", &process_reading::name);
      estimate(added, row, *misses, misses_are_memory_);
    } else {
      fill(added, row, *next++);
    }
  }
  return made;
}

}  // namespace weft::lab
