// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The option --weft:trace, its related options, and its suffixes.
#include "counters/trace/trace_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <signal.h>  // for POSIX's SIGUSR1

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/counters/trace.hpp"

#include "counters/trace/trace_recorder.hpp"

namespace weft::counters::detail {

void register_trace_options(base::option_registry& registry) {
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
               base::size_in_bytes(smallest_trace_buffer_bytes, largest_trace_buffer_bytes));
}

void start_trace_as_asked(const base::option_registry& registry) {
  auto options = registry.value<trace_options>("trace");
  if (!options) {
    process_recorder().start_from_environment([](const char*) { return std::nullopt; });
    return;  // the environment was read together with the other options
  }
  options->bytes_per_worker =
      registry.value<std::size_t>("trace-buffer").value_or(options->bytes_per_worker);
  try {
    start_trace(*options);
  } catch (const error& failure) {
    if (registry.source("trace") != base::option_source::environment) {
      throw;
    }
    send_message(std::string(failure.what()) + '\n');
  }
}

}  // namespace weft::counters::detail

namespace weft::counters {
namespace {

std::optional<int> parse_signal(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 4> signals{
      {{"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"QUIT", SIGQUIT}}};
  name.remove_prefix(name.starts_with("SIG") ? 3 : 0);
  for (const auto& [known, number] : signals) {
    if (known == name) {
      return number;
    }
  }
  return std::nullopt;
}

enum class suffix_state : std::uint8_t { read, none, malformed };

/// Reads the word after the last colon.
suffix_state read_suffix(std::string_view word, trace_options& options) {
  constexpr std::string_view last = "last=";
  constexpr std::string_view on_signal = "signal=";
  if (word == "rings") {
    options.keeps_rings = true;
    return suffix_state::read;
  }
  if (word.starts_with(last)) {
    options.last = base::duration().parse(word.substr(last.size()));
    return options.last && options.last->count() > 0 ? suffix_state::read : suffix_state::malformed;
  }
  if (word.starts_with(on_signal)) {
    options.dump_signal = parse_signal(word.substr(on_signal.size()));
    return options.dump_signal ? suffix_state::read : suffix_state::malformed;
  }
  return suffix_state::none;  // the colon belongs to the file's name
}

std::optional<trace_options> parse(std::string_view text) {
  trace_options options;
  for (;;) {
    const std::size_t colon = text.rfind(':');
    const auto state = colon == std::string_view::npos
                           ? suffix_state::none
                           : read_suffix(text.substr(colon + 1), options);
    if (state == suffix_state::none) {
      break;
    }
    if (state == suffix_state::malformed) {
      return std::nullopt;
    }
    text = text.substr(0, colon);
  }
  options.destination = std::string(text);
  return text.empty() ? std::nullopt : std::optional(options);
}

}  // namespace

base::option_parser<trace_options> trace_text() {
  return {.accepts =
              "a file for the trace; %p in its name becomes the process id; behind it :last=10s "
              "for the last seconds only, :signal=USR2 (USR1, HUP, QUIT) to write at that signal",
          .parse = parse};
}

}  // namespace weft::counters
