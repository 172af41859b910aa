// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same results in Google Benchmark's JSON, for tools such as its compare.py.
#pragma once

#include <span>
#include <string>

#include "lab/harness/records.hpp"

namespace weft::lab {

/// Returns a whole document: `context`, and in `benchmarks` one repetition per sample, so that
/// tools see the spread.
///
/// A cell without samples is one entry with `error_occurred` and `error_message`.
/// Units:   real_time and cpu_time in ns per call; cpu_time is the mean of all samples, or null.
/// Source:  Google Benchmark's user guide, "Result comparison".
[[nodiscard]] std::string gbench_json(std::span<const outcome> answers, const program_facts& facts);

}  // namespace weft::lab
