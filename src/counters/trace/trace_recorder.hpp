// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns rings to workers, and writes their records as a trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "weft/base/options.hpp"
#include "weft/counters/trace.hpp"
#include "weft/counters/trace_ring.hpp"

#include "counters/trace/trace_file.hpp"

namespace weft::counters::detail {

/// The files of one trace.
///
/// Threads: any.
class trace_recorder {
 public:
  /// Errors: as `start_trace`.
  void start(const trace_options& options);
  /// Starts as WEFT_TRACE and WEFT_TRACE_BUFFER say, unless a trace was started or this function
  /// was called before.
  /// Errors: as `start_trace`; also for texts that do not parse.
  void start_from_environment(const base::environment_lookup& lookup = base::process_environment);
  /// Null: nothing is recorded, or this is a child of the recording process.
  /// Errors: `weft::error` if the file cannot grow.
  [[nodiscard]] trace_ring* ring_for(std::uint32_t pool, std::uint32_t worker);
  /// As `counters::trace_name`.
  [[nodiscard]] std::uint64_t name(std::string_view text);
  /// As `counters::trace_decision`.
  /// Errors: `weft::error` if the file cannot grow.
  void decide(std::string_view what);
  /// Errors: as `write_trace`.
  trace_summary write(const std::filesystem::path& file);
  /// Writes the trace and deletes the rings. Does nothing without a trace, or in a child.
  /// Errors: as `write_trace`; the rings are kept.
  std::optional<trace_summary> finish();
  /// False also in a child of the recording process.
  [[nodiscard]] bool is_recording() const;
  /// Returns the absolute path; empty if nothing was ever recorded.
  [[nodiscard]] std::filesystem::path destination() const;
  /// Makes fatal signals leave a mark in the file, and the signal from the options call `dump`.
  /// Threads: call it once, while something is recorded.
  void watch_signals(void (*dump)() noexcept);

 private:
  using worker_key = std::pair<std::uint32_t, std::uint32_t>;

  struct trace_under_way {
    trace_options options;  // with an absolute destination
    trace_recording recording;
    pid_t process_id;                        // of the recording process
    std::map<worker_key, trace_ring> rings;  // never moved: workers keep their addresses
    std::map<std::string, std::uint64_t, std::less<>> names;
  };

  /// Null: nothing is recorded, or this is a child of the recording process.
  [[nodiscard]] trace_under_way* here() const noexcept;
  static std::uint64_t number_of_name(trace_under_way& trace, std::string_view text);
  static trace_ring& ring_of(trace_under_way& trace, const worker_key& key);
  void open(const trace_options& options);

  mutable std::mutex mutex_;
  bool has_asked_environment_ = false;
  std::unique_ptr<trace_under_way> trace_;
};

/// Returns the recorder of this process, which outlives every thread.
[[nodiscard]] trace_recorder& process_recorder();

}  // namespace weft::counters::detail
