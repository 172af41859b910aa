// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of events without libpfm4: none.
#include <optional>
#include <string>

#include "counters/families/perf/perf_names.hpp"

namespace weft::counters::detail {

named_event find_named_event(const std::string& name) {
  return {.code = std::nullopt,
          .reason = "weft was built without libpfm4, which knows names such as " + name +
                    ": install libpfm4-dev and build again, or give the event's code as rNNNN"};
}

}  // namespace weft::counters::detail
