// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of events that libpfm4 knows, if weft was built with libpfm4.
#pragma once

#include <optional>
#include <string>

#include "counters/families/perf/perf_event.hpp"

namespace weft::counters::detail {

/// An event in user mode, or the reason why there is none by that name.
struct named_event {
  std::optional<event_code> code;
  std::string reason;
};

[[nodiscard]] named_event find_named_event(const std::string& name);

}  // namespace weft::counters::detail
