// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the format of a trace.
#include "counters/trace/trace_writer.hpp"

#include <filesystem>
#include <memory>

namespace weft::counters::detail {

std::unique_ptr<trace_writer> make_trace_writer(const std::filesystem::path& destination,
                                                const clock_snapshot& start) {
  if (destination.extension() == ".json") {
    return make_chrome_writer(destination, start);
  }
  return make_perfetto_writer(destination, start);
}

}  // namespace weft::counters::detail
