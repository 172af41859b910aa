// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events of threads by name: what the kernel translates for every processor.
#pragma once

#include <span>
#include <string_view>

#include "counters/families/perf/perf_event.hpp"

namespace weft::counters::detail {

/// A new event is a new row in perf_events.cpp.
struct perf_event_row {
  std::string_view name;  // as `perf list` writes it
  std::string_view unit;
  event_code code;
  double least = 0;  // `known_work()` must count at least that many
  std::string_view help;
};

/// Source: perf_event_open(2), tables of `config`.
[[nodiscard]] std::span<const perf_event_row> perf_event_rows() noexcept;

/// The row of an event by its name, or one that perf takes as well ("cs"); null if there is none.
[[nodiscard]] const perf_event_row* find_perf_event(std::string_view name) noexcept;

}  // namespace weft::counters::detail
