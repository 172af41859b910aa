// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creates the file of rings, assigns rings to workers, and converts them to a trace.
#include "counters/trace/trace_recorder.hpp"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/base/printable.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/counters/trace.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/trace/trace_conversion.hpp"
#include "counters/trace/trace_file.hpp"
#include "counters/trace/trace_signals.hpp"

namespace weft::counters {

namespace detail {
namespace {

std::filesystem::path rings_of(const std::filesystem::path& destination) {
  return destination.string() + ".rings";
}

/// Returns "trace.1234.pftrace" for "trace.pftrace".
std::filesystem::path with_process_id(const std::filesystem::path& file) {
  std::filesystem::path result = file;
  return result.replace_filename(file.stem().string() + '.' + std::to_string(getpid()) +
                                 file.extension().string());
}

/// Returns the absolute path, since the program may change its folder, with the process id if
/// requested.
std::filesystem::path full_destination(const std::filesystem::path& file) {
  std::string text = std::filesystem::absolute(file).string();
  constexpr std::string_view place = "%p";
  if (const auto found = text.find(place); found != std::string::npos) {
    text.replace(found, place.size(), std::to_string(getpid()));
  }
  return text;
}

/// Errors: `weft::error`.
void refuse_folder(const std::filesystem::path& destination) {
  std::error_code ignored;
  if (std::filesystem::is_directory(destination, ignored)) {
    throw error("weft: cannot write a trace to " + destination.string() +
                ": it is a folder; name a file in it, for example WEFT_TRACE=" +
                (destination / "trace.pftrace").string());
  }
}

template <class Value>
std::optional<Value> parse_variable(const char* variable,
                                    const base::option_parser<Value>& parser,
                                    const base::environment_lookup& lookup) {
  const auto text = lookup(variable);
  if (!text) {
    return std::nullopt;
  }
  auto value = parser.parse(*text);
  if (!value) {
    throw error("weft: environment variable " + std::string(variable) + "=" + *text +
                " is not understood; accepted is " + parser.accepts);
  }
  return value;
}

void send_error(const std::exception& failure) noexcept {
  try {
    send_message(std::string(failure.what()) + '\n');
  } catch (const std::exception&) {
    send_message("weft: out of memory; no trace is recorded\n");
  }
}

/// Writes the trace when the process ends. Made before `main`, so that it is destroyed after the
/// runtimes in static variables of functions.
struct end_of_process {
  ~end_of_process() {
    try {
      if (const auto trace = process_recorder().finish()) {
        send_message(describe(*trace));
      }
    } catch (const std::exception& failure) {
      send_error(failure);
    }
  }
};
const end_of_process writes_trace;

}  // namespace

trace_recorder::trace_under_way* trace_recorder::here() const noexcept {
  return trace_ != nullptr && trace_->process_id == getpid() ? trace_.get() : nullptr;
}

bool trace_recorder::is_recording() const {
  const std::scoped_lock lock(mutex_);
  return here() != nullptr;
}

std::filesystem::path trace_recorder::destination() const {
  const std::scoped_lock lock(mutex_);
  return trace_ != nullptr ? trace_->options.destination : std::filesystem::path();
}

void trace_recorder::watch_signals(void (*dump)() noexcept) {
  const std::scoped_lock lock(mutex_);
  const trace_options& options = trace_->options;
  const std::string rings = trace_->recording.path().string();
  const std::string last_words = "weft: the trace is kept; get it with: weft trace --recover " +
                                 base::printable(rings, base::line_ends::masked) + '\n';
  mark_fatal_signals(trace_->recording.header().fatal_signal,
                     options.keeps_rings ? std::string() : last_words);
  if (options.dump_signal) {
    dump_on_signal(*options.dump_signal, dump);
  }
}

void trace_recorder::start(const trace_options& options) {
  const std::scoped_lock lock(mutex_);
  has_asked_environment_ = true;
  open(options);
}

void trace_recorder::start_from_environment(const base::environment_lookup& lookup) {
  const std::scoped_lock lock(mutex_);
  if (has_asked_environment_) {
    return;
  }
  has_asked_environment_ = true;
  if (auto options = parse_variable("WEFT_TRACE", trace_text(), lookup)) {
    const auto buffer =
        parse_variable("WEFT_TRACE_BUFFER",
                       base::size_in_bytes(smallest_trace_buffer_bytes, largest_trace_buffer_bytes),
                       lookup);
    options->bytes_per_worker = buffer.value_or(options->bytes_per_worker);
    open(*options);
  }
}

void trace_recorder::open(const trace_options& options) {
  trace_options full = options;
  full.destination = full_destination(options.destination);
  if (const trace_under_way* const now = here()) {
    if (now->options.destination == full.destination) {
      return;
    }
    throw error("weft: a trace to " + now->options.destination.string() +
                " is being recorded already; a process has one trace: choose one of the two");
  }
  refuse_folder(full.destination);
  const auto create = [&] {
    return trace_recording::create({.file = rings_of(full.destination),
                                    .bytes_per_ring = full.bytes_per_worker,
                                    .last = full.last});
  };
  auto recording = create();
  if (!recording) {
    full.destination = with_process_id(full.destination);
    recording = create();
  }
  if (!recording) {
    throw error("weft: another process records in " + rings_of(full.destination).string() +
                "; trace to another file");
  }
  trace_ = std::make_unique<trace_under_way>(trace_under_way{.options = std::move(full),
                                                             .recording = *std::move(recording),
                                                             .process_id = getpid(),
                                                             .rings = {},
                                                             .names = {}});
}

std::uint64_t trace_recorder::name(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  trace_under_way* const now = here();
  return now == nullptr ? 0 : number_of_name(*now, text);
}

std::uint64_t trace_recorder::number_of_name(trace_under_way& trace, std::string_view text) {
  auto known = trace.names.find(text);
  if (known == trace.names.end()) {
    known = trace.names.emplace(text, trace.recording.add_name(text)).first;
  }
  return known->second;
}

void trace_recorder::decide(std::string_view what) {
  const std::scoped_lock lock(mutex_);  // also makes this thread the ring's only writer
  if (trace_under_way* const now = here()) {
    ring_of(*now, {decisions_pool, 0})
        .write({.ticks = ticks_now(),
                .subject = number_of_name(*now, what),
                .kind = trace_kind::decide});
  }
}

trace_ring* trace_recorder::ring_for(std::uint32_t pool, std::uint32_t worker) {
  const std::scoped_lock lock(mutex_);
  trace_under_way* const now = here();
  return now == nullptr ? nullptr : &ring_of(*now, {pool, worker});
}

trace_ring& trace_recorder::ring_of(trace_under_way& trace, const worker_key& key) {
  auto known = trace.rings.find(key);
  if (known == trace.rings.end()) {
    known = trace.rings.emplace(key, trace.recording.add_ring(key.first, key.second)).first;
    trace.recording.refresh();
  }
  return known->second;
}

trace_summary trace_recorder::write(const std::filesystem::path& file) {
  const std::scoped_lock lock(mutex_);
  trace_under_way* const now = here();
  if (now == nullptr) {
    throw error(
        "weft: there is no trace to write: none is recorded in this process; start it with "
        "WEFT_TRACE=FILE, --weft:trace=FILE or weft::counters::start_trace");
  }
  now->recording.refresh();
  return convert_trace(trace_file_view::open(now->recording.path()), file);
}

std::optional<trace_summary> trace_recorder::finish() {
  const std::scoped_lock lock(mutex_);
  trace_under_way* const now = here();
  if (now == nullptr || now->options.keeps_rings) {
    return std::nullopt;
  }
  now->recording.refresh();
  std::optional<trace_summary> trace =
      convert_trace(trace_file_view::open(now->recording.path()), now->options.destination);
  now->recording.remove();
  return trace;
}

trace_recorder& process_recorder() {
  // never destroyed: workers may outlive the destruction of statics
  static auto& recorder = *new trace_recorder;
  return recorder;
}

namespace {

void dump() noexcept {
  try {
    detail::trace_recorder& recorder = process_recorder();
    send_message(describe(recorder.write(recorder.destination())));
  } catch (const std::exception& failure) {
    send_error(failure);
  }
}

void watch_signals_once() {
  static std::once_flag is_done;
  std::call_once(is_done, [] { process_recorder().watch_signals(dump); });
}

}  // namespace

}  // namespace detail

void start_trace(const trace_options& options) {
  detail::process_recorder().start(options);
  detail::watch_signals_once();
}

trace_summary write_trace(const std::filesystem::path& file) {
  return detail::process_recorder().write(file);
}

std::uint64_t trace_name(std::string_view name) noexcept {
  try {
    return detail::process_recorder().name(name);
  } catch (const std::bad_alloc&) {
    return 0;  // as if there were no room
  }
}

void trace_decision(std::string_view what) noexcept {
  try {
    detail::process_recorder().decide(what);
  } catch (const std::exception& failure) {
    detail::send_error(failure);
  }
}

trace_ring* ring_for(const worker_block& worker) noexcept {
  try {
    detail::trace_recorder& recorder = detail::process_recorder();
    recorder.start_from_environment();
    if (recorder.is_recording()) {
      detail::watch_signals_once();
    }
    return recorder.ring_for(worker.pool, worker.worker);
  } catch (const std::exception& failure) {
    detail::send_error(failure);
    return nullptr;
  }
}

}  // namespace weft::counters
