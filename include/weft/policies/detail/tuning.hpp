// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the cheapest of some alternatives by their numbers; the part of `tuner` without the type.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "weft/policies/tuner_report.hpp"

namespace weft::policies {

namespace detail {

/// Returns the p-value of the exact one-sided signed-rank test. Zeros are left out.
///
/// It is the probability of so large a sum of the ranks of positive differences, or a larger one, if
/// each sign is random.
/// `scratch`: at least n (n + 1) + 1 numbers for n differences, which are reordered.
/// Source:  Wilcoxon, "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945;
///          Pratt and Gibbons, "Concepts of Nonparametric Theory", 1981, for ties.
/// Example: tests/policies/tuner_test.cpp: the_test_agrees_with_published_values.
[[nodiscard]] double signed_rank_p_value(std::vector<double>& differences,
                                         std::vector<double>& scratch) noexcept;

/// The state machine of a tuner.
///
/// Cost:    `index` is a load. `note` takes a lock until there is a verdict, then it is a load. After
///          the constructor nothing is allocated, but for the trace of a decision.
/// Threads: any.
class tuning {
 public:
  /// `shown`: the values as decisions show them.
  /// Errors:  `weft::error` for options out of range, or a present value that is none of the values.
  tuning(std::string name,
         std::vector<double> shown,
         std::size_t present,
         const tuner_options& options);
  tuning(const tuning&) = delete;
  tuning& operator=(const tuning&) = delete;
  ~tuning() = default;

  /// Returns the number of the value to use next.
  [[nodiscard]] std::size_t index() const noexcept {
    return index_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_tuning() const noexcept {
    return outcome_.load(std::memory_order_relaxed) == verdict::tuning;
  }
  /// Notes a cost of the value with this number. Ignores costs of other values than the next one, and
  /// costs that are not finite.
  void note(std::size_t index, double cost) noexcept;
  void restart() noexcept;
  [[nodiscard]] tuner_report report() const;

 private:
  void begin() noexcept;
  void shuffle() noexcept;
  void step() noexcept;
  void end_round() noexcept;
  void compare() noexcept;
  void decide(verdict outcome) noexcept;
  [[nodiscard]] double median_of(std::size_t index) noexcept;

  const std::string name_;
  const std::vector<double> shown_;
  const tuner_options options_;
  const bool is_on_;
  std::atomic<std::size_t> index_;               // relaxed: the values never change
  std::atomic<verdict> outcome_{verdict::kept};  // relaxed: it orders nothing

  mutable std::mutex mutex_;  // protects the members below
  std::size_t present_;
  std::uint64_t random_;
  std::vector<std::size_t> order_;          // values of this round, the present one among them
  std::size_t next_ = 0;                    // position in `order_`
  unsigned num_rounds_ = 0;                 // since the last elimination
  bool is_final_ = false;                   // two values are left, which are compared in pairs
  std::vector<std::vector<double>> costs_;  // by value
  std::vector<double> differences_;
  std::vector<double> scratch_;
  tuner_report report_;
};

}  // namespace detail
}  // namespace weft::policies
