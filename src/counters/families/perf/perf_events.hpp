// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named events of threads that the kernel translates for every processor.
#pragma once

#include <span>
#include <string_view>

#include "counters/families/perf/perf_event.hpp"

namespace weft::counters::detail {

/// A new event is a new row in perf_events.cpp.
struct perf_event_row {
  std::string_view name;  // the name in `perf list`
  std::string_view unit;
  event_code code;
  double least = 0;  // the least count that `known_work()` must produce
  std::string_view help;
};

/// Source: perf_event_open(2), tables of `config`.
[[nodiscard]] std::span<const perf_event_row> perf_event_rows() noexcept;

/// Returns the row of an event by its name, or by an alias that perf accepts ("cs"); null if there
/// is none.
[[nodiscard]] const perf_event_row* find_perf_event(std::string_view name) noexcept;

}  // namespace weft::counters::detail
