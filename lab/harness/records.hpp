// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of a bench program: its description and one outcome per cell, as JSON lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lab/harness/build_info.hpp"
#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/parallelism.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {

/// One of three values. The first is a counter's sum over the timed calls divided by their number.
/// The second is its growth over the whole sampling phase, if it cannot exclude the pauses. The
/// third is the median of the samples' values.
struct counter_value {
  std::string name;
  std::string unit;
  std::optional<double> value;
  std::string per = "call";        // or "phase" or "sample"
  std::vector<double> per_sample;  // per call; empty unless `per` says so
  std::string reason;              // why there is no value
  double scale = 1;                // > 1: multiplexed by the kernel, an estimate
};

/// The measurements of a cell whose answer was right.
struct measurement {
  samples taken;
  schedule plan;
  double phase_s = 0;  // from the first sample to the last, with the pauses between them
  std::optional<double> cold_call_s;  // the process's first call of the problem and type
  std::string statistic;
  double statistic_s = 0;
  std::size_t bytes_min = 0;
  std::optional<std::uint64_t> num_tasks;  // per call
  std::optional<std::uint64_t> num_nodes;  // visited by the last call
  std::optional<double> num_operations;    // arithmetic operations, per call
  // the part of the input that is smaller than its name promises
  std::string scaled;
  std::string fingerprint;  // of an answer that does not depend on the order of work
  bool is_oversubscribed = false;
  parallelism threads;
  std::vector<counter_value> counters;
  std::optional<std::size_t> peak_rss_bytes;
  std::optional<std::ptrdiff_t> rss_growth_bytes;
};

enum class status : std::uint8_t { ok, wrong, skipped, error };

[[nodiscard]] std::string to_string(status what);

/// The answer to one cell.
struct outcome {
  std::optional<cell> what;  // empty: the line could not be read
  status how = status::error;
  std::string message;
  std::string field;   // error: the wrong field of the cell; empty: none, the experiment threw
  std::string code;    // skipped
  std::string remedy;  // skipped
  std::optional<measurement> measured;
  double started_unix_s = 0;
  double setup_s = 0;
  double verify_s = 0;
  double probe_s = 0;
  double wall_s = 0;
};

/// Sets the outcome to "skipped", or to "error" of `field` (empty: an error of the experiment
/// itself).
void refuse(outcome& answer, const skip& why);
void reject(outcome& answer, const std::string& field, const std::string& message);

/// The first line of every program.
struct program_facts {
  build_info build;
  std::string suite;
  std::string backend;
  std::map<std::string, std::string> libraries;
  std::vector<std::string> problems;
  int cpus_usable = 1;
  std::string cpus_source;
  timer_properties timer;
  double call_overhead_s = 0;
};

/// Returns one line without the newline. Numbers are exact when read again; numbers that are not
/// finite become null.
[[nodiscard]] std::string program_record(const program_facts& facts);
[[nodiscard]] std::string result_record(const outcome& answer, const program_facts& facts);

/// Returns the problems as one JSON object (`--list --json`).
[[nodiscard]] std::string problem_list(const program_facts& facts);

}  // namespace weft::lab
