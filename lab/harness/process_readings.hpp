// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's counters that every record has: a selection of weft's registry.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

namespace weft::lab {

/// The threads or processes whose activity a counter counts.
enum class counter_scope : std::uint8_t {
  process,  // all threads of this process
  machine,  // all processes of this machine
};

/// A counter of the registry under its name in records.
struct recorded_counter {
  std::string_view name;
  std::string_view unit;
  std::string_view counter;  // empty: see `process_readings::readings`
  double unit_per_count;
  counter_scope scope;
  std::string_view source;  // the kernel interface it comes from
  std::string_view note;
};

namespace detail {

inline constexpr std::string_view fp_note =
    "user mode; floating-point instructions of this width, any element type: times lanes = "
    "operations; Intel counts a fused multiply-add twice, AMD counts once, and moves too";

}  // namespace detail

/// In the order of readings. To add a counter, add a row.
// clang-format off
inline constexpr std::array recorded_counters{
recorded_counter{"cpu_time", "s", "/os/cpu-time/total", 1e-9, counter_scope::process, "getrusage",
  "user and system time of all threads"},
recorded_counter{"user_time", "s", "/os/cpu-time/user", 1e-9, counter_scope::process, "getrusage",
  "time in user mode"},
recorded_counter{"system_time", "s", "/os/cpu-time/system", 1e-9, counter_scope::process, "getrusage",
  "time in the kernel"},
recorded_counter{"page_faults_minor", "events", "/os/page-faults/minor", 1, counter_scope::process, "getrusage",
  "served without reading a disk: first touches"},
recorded_counter{"page_faults_major", "events", "/os/page-faults/major", 1, counter_scope::process, "getrusage",
  "had to read a disk"},
recorded_counter{"context_switches_voluntary", "events", "/os/context-switches/voluntary", 1, counter_scope::process, "getrusage",
  "a thread waited"},
recorded_counter{"context_switches_involuntary", "events", "/os/context-switches/involuntary", 1, counter_scope::process, "getrusage",
  "a thread was pushed off its CPU"},
recorded_counter{"run_delay", "s", "/os/run-delay", 1e-9, counter_scope::process, "/proc/self/task/*/schedstat",
  "threads ready to run, but waiting for a CPU; from the first start() to readings(), pauses included"},
recorded_counter{"task_clock", "s", "/perf/task-clock", 1e-9, counter_scope::process, "perf_event software",
  "time on a CPU, all threads"},
recorded_counter{"cpu_migrations", "events", "/perf/cpu-migrations", 1, counter_scope::process, "perf_event software",
  "a thread went on on another CPU"},
recorded_counter{"cycles", "events", "/perf/cycles", 1, counter_scope::process, "perf_event hardware",
  "user mode; core clock cycles, which turbo and power saving stretch"},
recorded_counter{"instructions", "events", "/perf/instructions", 1, counter_scope::process, "perf_event hardware",
  "user mode; retired"},
recorded_counter{"branch_misses", "events", "/perf/branch-misses", 1, counter_scope::process, "perf_event hardware",
  "user mode; mispredicted branches"},
recorded_counter{"cache_references", "events", "/perf/cache-references", 1, counter_scope::process, "perf_event hardware",
  "user mode; Intel: requests to the last-level cache, AMD: to the L2 cache"},
recorded_counter{"cache_misses", "events", "/perf/cache-misses", 1, counter_scope::process, "perf_event hardware",
  "user mode; Intel: misses of the last-level cache, AMD: of the L2 cache"},
recorded_counter{"fp_scalar", "events", "/perf/fp-scalar", 1, counter_scope::process, "perf_event raw", detail::fp_note},
recorded_counter{"fp_128", "events", "/perf/fp-128", 1, counter_scope::process, "perf_event raw", detail::fp_note},
recorded_counter{"fp_256", "events", "/perf/fp-256", 1, counter_scope::process, "perf_event raw", detail::fp_note},
recorded_counter{"fp_512", "events", "/perf/fp-512", 1, counter_scope::process, "perf_event raw", detail::fp_note},
recorded_counter{"fp_operations", "events", "/perf/fp-operations", 1, counter_scope::process, "perf_event raw",
  "user mode; AMD: additions, multiplications, divisions and roots of every lane, a fused multiply-add counts 2"},
recorded_counter{"memory_read", "bytes", "/perf/memory-read", 1, counter_scope::machine, "perf_event uncore",
  "what the memory controllers read"},
recorded_counter{"memory_written", "bytes", "/perf/memory-written", 1, counter_scope::machine, "perf_event uncore",
  "what the memory controllers wrote"},
recorded_counter{"memory_volume_llc_estimate", "bytes", "", 64, counter_scope::process, "perf_event hardware",
  "an estimate: last-level cache misses x 64 bytes; no write-backs, not all prefetches"},
};
// clang-format on

/// The value of one counter. Empty, rather than 0, if the machine lacks the counter.
struct process_reading {
  std::string name;
  std::string unit;
  std::optional<double> value;
  std::string reason;  // why there is no value; empty if there is one
  double scale = 1;    // > 1: the kernel multiplexed, and `value` is extrapolated by this factor
  bool includes_pauses = false;  // also counts between stop() and the next start()
};

/// Counts the activity of this process between `start()` and `stop()`, summed over all such
/// intervals.
///
/// Hardware counters cover every thread that exists at construction, and every thread that these
/// start later. A thread that is being created at that moment may be missed. If this is made before
/// a thread pool, each counter is one kernel object, however many threads run later. Only the
/// hardware counters include child processes.
/// Cost:    see `counters::session::stop`. Construction: some milliseconds, to check that every
///          hardware counter counts.
/// Threads: one thread at a time.
/// Errors:  never throws because a counter is missing: see `process_reading::reason`.
/// Example: tests/harness/process_readings_test.cpp: cpu_time_grows_with_work_on_every_thread.
class process_readings {
 public:
  process_readings() : process_readings(counters::process_counters(), "/") {}
  /// `root` is the folder that contains proc/; tests pass others, and counters read there.
  process_readings(counters::registry& from, const std::filesystem::path& root);

  void start();
  void stop();
  /// Returns one reading per row of `recorded_counters`, in its order; no values before the first
  /// `stop()`. The estimated memory volume is computed from `cache_misses`.
  [[nodiscard]] std::vector<process_reading> readings();
  /// Discards all counts so far.
  void reset();

 private:
  counters::session session_;
  bool misses_are_memory_;  // whether cache misses are those of the last-level cache
  bool has_stopped_ = false;
};

}  // namespace weft::lab
