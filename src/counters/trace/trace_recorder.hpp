// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who records into which ring, and what becomes of the rings.
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
  /// As WEFT_TRACE and WEFT_TRACE_BUFFER say, unless it was started, or asked, before.
  /// Errors: as `start_trace`; also for texts that do not parse.
  void start_from_environment(const base::environment_lookup& lookup = base::process_environment);
  /// Null: nothing is recorded, or this is a child of the process that records.
  /// Errors: `weft::error` if the file cannot grow.
  [[nodiscard]] trace_ring* ring_for(std::uint32_t pool, std::uint32_t worker);
  /// As `counters::trace_name`.
  [[nodiscard]] std::uint64_t name(std::string_view text);
  /// Errors: as `write_trace`.
  trace_summary write(const std::filesystem::path& file);
  /// Writes the trace and deletes the rings; without a trace, or in a child, nothing.
  /// Errors: as `write_trace`; the rings are kept.
  std::optional<trace_summary> finish();
  /// False in a child of the process that records, too.
  [[nodiscard]] bool is_recording() const;
  /// In full; empty if nothing was ever recorded.
  [[nodiscard]] std::filesystem::path destination() const;
  /// Lets signals that end the process leave a mark, and the one the options name call `dump`.
  /// Threads: once, while something is recorded.
  void watch_signals(void (*dump)() noexcept);

 private:
  using worker_key = std::pair<std::uint32_t, std::uint32_t>;

  struct trace_under_way {
    trace_options options;  // with the destination in full
    trace_recording recording;
    pid_t process_id;                        // of whoever records
    std::map<worker_key, trace_ring> rings;  // never moved: workers have their addresses
    std::map<std::string, std::uint64_t, std::less<>> names;
  };

  /// Null: nothing is recorded, or this is a child of the process that records.
  [[nodiscard]] trace_under_way* here() const noexcept;
  void open(const trace_options& options);

  mutable std::mutex mutex_;
  bool has_asked_environment_ = false;
  std::unique_ptr<trace_under_way> trace_;
};

/// The recorder of this process; it outlives every thread.
[[nodiscard]] trace_recorder& process_recorder();

}  // namespace weft::counters::detail
