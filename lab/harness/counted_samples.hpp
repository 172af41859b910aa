// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime's counters for each sample, read just outside of the timed spans.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "lab/harness/experiment.hpp"
#include "lab/harness/records.hpp"

namespace weft::lab {

/// Reads counters of weft's registry around every timed batch, and sums batches per sample.
///
/// Cost:    `begin` and `end`: tens of microseconds, outside the timed spans; nothing without
///          counters.
/// Threads: one thread at a time, outside of the runtime that counts.
/// Errors:  the constructor throws `weft::error` for an unknown name. A value that cannot be read
///          is empty, with the reason.
/// Example: tests/harness/counted_samples_test.cpp
class counted_samples {
 public:
  explicit counted_samples(std::span<const sample_counter> which,
                           counters::registry& from = counters::process_counters());

  void begin();
  void end();
  /// Adds the counts since the last call to a sample of `num_calls` calls.
  void finish_sample(std::size_t num_calls);
  /// Returns one entry per counter, in order, each with a number per sample if all samples have
  /// one.
  [[nodiscard]] std::vector<counter_value> values() const;

 private:
  struct column {
    sample_counter what;
    double sum = 0;  // of the present sample
    bool is_whole = true;
    std::vector<double> per_call = {};  // of the samples with a number
    std::string reason = {};            // of the first sample without a number
  };

  [[nodiscard]] counter_value value_of(const column& of) const;

  std::vector<column> columns_;
  std::optional<counters::session> session_;
  std::size_t num_samples_ = 0;
};

}  // namespace weft::lab
