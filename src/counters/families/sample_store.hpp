// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples of a counter, and their statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "weft/counters/counter.hpp"

#include "counters/families/exact_number.hpp"

namespace weft::counters::detail {

enum class statistic : std::uint8_t { average, stddev, median, min, max };

/// Keeps the last samples of a window. Without a window, keeps only what the statistics of all
/// samples need.
///
/// Exact, except for the median of all samples. Of more than `max_kept`, only every second, fourth,
/// ... is kept, evenly over the time since the start.
class sample_store {
 public:
  static constexpr std::size_t max_kept = 16'384;

  /// Without a window, all samples count.
  explicit sample_store(std::optional<std::size_t> window) : window_(window) {}

  void add(exact_number sample, const std::optional<sampling>& sampled);
  void clear();

  [[nodiscard]] bool is_empty() const noexcept { return kept_.empty(); }
  /// Returns a statistic. There must be a sample.
  [[nodiscard]] exact_number value_of(statistic wanted) const;
  /// Returns the coarsest estimate among the samples; nothing: all were exact.
  [[nodiscard]] std::optional<sampling> sampled() const;

 private:
  /// A sample, and the way it was estimated.
  struct estimate {
    exact_number number;
    std::optional<sampling> sampled;
  };

  /// Statistics for which no samples are kept.
  struct summary {
    running_moments moments;
    std::optional<exact_number> min;
    std::optional<exact_number> max;
    std::optional<sampling> sampled;

    void add(const estimate& sample);
  };

  void keep_every_second();
  [[nodiscard]] summary summarize() const;

  std::optional<std::size_t> window_;
  std::deque<estimate> kept_;
  std::uint64_t stride_ = 1;     // one sample in so many is kept
  std::uint64_t num_added_ = 0;  // since the last clear
  summary all_;                  // all samples since the last clear, if there is no window
};

}  // namespace weft::counters::detail
