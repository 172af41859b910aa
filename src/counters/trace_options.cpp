// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --weft:trace and what belongs to it.
#include "counters/trace_options.hpp"

#include <cstddef>
#include <optional>
#include <string>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/counters/trace.hpp"

#include "counters/trace_recorder.hpp"

namespace weft::counters::detail {

void register_trace_options(option_registry& registry) {
  registry.add({.name = "trace",
                .environment = "WEFT_TRACE",
                .help = "Records what every worker does and writes it for ui.perfetto.dev when the "
                        "program ends, as in trace.pftrace, trace.pftrace:last=10s or, as Chrome's "
                        "JSON, trace.json.",
                .default_text = "no trace"},
               trace_text());
  registry.add({.name = "trace-buffer",
                .environment = "WEFT_TRACE_BUFFER",
                .help = "How much of a trace each worker keeps, at 32 bytes for an event.",
                .default_text = "4 MiB"},
               size_in_bytes(smallest_trace_buffer_bytes, largest_trace_buffer_bytes));
}

void start_trace_as_asked(const option_registry& registry) {
  auto options = registry.value<trace_options>("trace");
  if (!options) {
    process_recorder().start_from_environment([](const char*) { return std::nullopt; });
    return;  // the environment was read with the other options
  }
  options->bytes_per_worker =
      registry.value<std::size_t>("trace-buffer").value_or(options->bytes_per_worker);
  try {
    start_trace(*options);
  } catch (const error& failure) {
    if (registry.source("trace") != option_source::environment) {
      throw;
    }
    send_message(std::string(failure.what()) + '\n');
  }
}

}  // namespace weft::counters::detail
