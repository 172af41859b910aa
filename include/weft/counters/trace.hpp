// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording what workers do, for Perfetto: every worker keeps its last events in a ring, in a file
// that survives the program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "weft/base/options.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

/// Smallest ring of a worker.
inline constexpr std::size_t smallest_trace_buffer_bytes = std::size_t{4} << 10;
/// Largest ring of a worker.
inline constexpr std::size_t largest_trace_buffer_bytes = std::size_t{1} << 30;

/// Where a trace is written, and how much of it is kept.
struct trace_options {
  /// "%p" in it stands for the process id. A name that ends in ".json" gets Chrome's JSON, any
  /// other one Perfetto's own format.
  std::filesystem::path destination = {};
  std::size_t bytes_per_worker = std::size_t{4} << 20;
  /// Write only that much of the end; none: all there is.
  std::optional<std::chrono::nanoseconds> last = std::nullopt;
  /// Write the trace so far whenever this signal arrives.
  std::optional<int> dump_signal = std::nullopt;
  /// At exit leave the rings to `weft trace`, and write no trace.
  bool keeps_rings = false;
};

/// Reads what --weft:trace= and WEFT_TRACE= take: "FILE", "FILE:last=10s", "FILE:signal=USR2".
[[nodiscard]] base::option_parser<trace_options> trace_text();

/// Records the workers that start from now on, and writes the trace when the process exits.
///
/// The rings are the file DESTINATION.rings; a process that crashes or is killed leaves it there
/// for `./weft trace --recover DESTINATION.rings`. If another process records there, this one's
/// files have its process id in their names. A second call with the same destination changes
/// nothing.
/// Cost:    two stamps and two records of 32 bytes per task.
/// Threads: any.
/// Errors:  `weft::error` if the files cannot be written, or a trace to elsewhere is recorded.
/// Example: tests/counters/trace_test.cpp: what_workers_did_is_written_on_demand.
void start_trace(const trace_options& options);

/// The file of a written trace, and how many of its events are in it or were lost.
struct trace_summary {
  std::filesystem::path file;
  std::uint64_t num_slices = 0;        // stays of tasks on workers: begun and resumed
  std::uint64_t num_lost_records = 0;  // the rings had no room for them any more
  std::uint64_t num_unmatched = 0;     // ends whose beginning was lost
};

/// Writes what the rings hold now, in the format that `file` asks for as
/// `trace_options::destination` does; workers go on meanwhile.
///
/// Errors:  `weft::error` if no trace is recorded, or `file` cannot be written.
trace_summary write_trace(const std::filesystem::path& file);

/// The number of `name` in the records of `trace_kind::annotate`; 0 if no trace is recorded, or if
/// it has no room for another name.
///
/// Cost:    a lock and a look-up.
/// Threads: any.
[[nodiscard]] std::uint64_t trace_name(std::string_view name) noexcept;

/// Records a decision of a policy, which the trace shows as an event on a track of its own.
///
/// Cost:    a lock if no trace is recorded, else a look-up as well.
/// Threads: any.
/// Example: tests/policies/policies_test.cpp: a_decision_is_counted_and_traced.
void trace_decision(std::string_view what) noexcept;

/// Where that worker is to record what it does; null: no trace is wanted.
///
/// The first call reads WEFT_TRACE and WEFT_TRACE_BUFFER, unless `start_trace` was called. If a
/// variable or a file is invalid, a message says so and nothing is recorded.
/// Threads: any. The ring lives as long as the process; one thread at a time may write to it.
[[nodiscard]] trace_ring* ring_for(const worker_block& worker) noexcept;

}  // namespace weft::counters
