// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalog with what users need not see: how each counter is obtained.
#pragma once

#include <span>
#include <variant>

#include <sys/resource.h>

#include "weft/counters/catalog.hpp"

#include "counters/cpu_events.hpp"
#include "counters/event_counter.hpp"
#include "counters/event_source.hpp"

namespace weft::counters::detail {

using process_usage = ::rusage;

/// One field of getrusage, converted to the row's unit.
struct usage_recipe {
  double (*value)(const process_usage& usage);
};

/// The process's threads' schedstat files.
struct run_delay_recipe {};

/// An event that the kernel translates for every processor.
struct event_recipe {
  event_code code;
  double unit_per_count = 1;
  double least = 0;  // what `known_work()` must at least count, in the row's unit
};

/// An event whose code depends on the processor.
struct fp_recipe {
  fp_event event = fp_event::scalar;
  double least = 0;  // what `known_work()` must at least count
};

struct memory_recipe {
  memory_direction direction = memory_direction::read;
};

/// Another counter times the size of a cache line.
struct line_estimate_recipe {
  std::string_view counter;  // must come before this row
};

using recipe = std::variant<usage_recipe,
                            run_delay_recipe,
                            event_recipe,
                            fp_recipe,
                            memory_recipe,
                            line_estimate_recipe>;

struct catalog_row {
  counter_info info;
  recipe how;
};

[[nodiscard]] std::span<const catalog_row> catalog_rows() noexcept;

}  // namespace weft::counters::detail
