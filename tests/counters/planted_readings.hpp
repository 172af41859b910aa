// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Readings with every kind of value, for tests of what prints them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"

namespace weft::test {

using counters::counter_kind;
using counters::session_reading;

inline session_reading counted(std::string name, std::int64_t value, std::string unit = "") {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .kind = counter_kind::total,
          .value = {.value = value}};
}

inline session_reading averaged(std::string name, double value, std::string unit) {
  return {.name = std::move(name),
          .unit = std::move(unit),
          .kind = counter_kind::quotient,
          .value = {.value = value}};
}

inline session_reading missing(std::string name, std::string reason) {
  return {.name = std::move(name),
          .unit = "",
          .kind = counter_kind::total,
          .value = {.value = std::nullopt, .reason = std::move(reason)}};
}

inline session_reading recorded(std::string name, counters::histogram_value value) {
  return {.name = std::move(name),
          .unit = "ns",
          .kind = counter_kind::histogram,
          .value = {.value = std::move(value)}};
}

/// The second evaluation, 1.5 s after the start, on 1 January 2026.
inline counters::session_readings evaluation_of(std::vector<session_reading> values) {
  using std::chrono::nanoseconds;
  using clock = std::chrono::system_clock;
  const nanoseconds since_epoch(1'767'225'600'123'456'789);
  return {.number = 2,
          .since_start = nanoseconds(1'500'000'001),
          .time = clock::time_point(std::chrono::duration_cast<clock::duration>(since_epoch)),
          .values = std::move(values)};
}

}  // namespace weft::test
