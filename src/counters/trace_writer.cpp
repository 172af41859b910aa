// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the format of a trace.
#include "counters/trace_writer.hpp"

#include <filesystem>
#include <memory>

#include "counters/chrome_writer.hpp"
#include "counters/perfetto_writer.hpp"

namespace weft::counters::detail {

std::unique_ptr<trace_writer> make_trace_writer(const std::filesystem::path& destination,
                                                const clock_snapshot& start) {
  if (destination.extension() == ".json") {
    return std::make_unique<chrome_writer>(destination, start);
  }
  return std::make_unique<perfetto_writer>(destination, start);
}

}  // namespace weft::counters::detail
