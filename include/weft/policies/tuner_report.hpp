// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a tuner measures, and what it has found out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::policies {

/// How long a tuner measures, and how sure it must be.
struct tuner_options {
  /// Costs per value in each round of elimination; a round drops half of the values.
  unsigned num_costs = 5;
  /// Pairs of costs, of the present value and of the best other one, that the final test compares.
  unsigned num_pairs = 16;
  /// The largest probability with which each tuning may change the value if costs have the same
  /// distribution.
  double significance = 0.025;
  /// A value that is better by less than this share of the cost is not worth a change.
  double least_gain = 0.01;
  std::uint32_t seed = 1;  // of the random order
};

/// What a tuner has found out.
enum class verdict : std::uint8_t {
  tuning,  // it still compares
  kept,    // no other value is significantly better than the present one
  changed  // another value is significantly better, and is the present one now
};

/// A tuner's verdict, and the figures behind it.
struct tuner_report {
  verdict outcome = verdict::tuning;
  std::size_t before = 0;  // index of the present value when tuning began
  std::size_t best = 0;    // index of the value that was compared with it last
  std::size_t num_costs = 0;
  /// Of the final test; unknown if there was none. Units: those of the costs.
  std::optional<double> cost_before = {};  // median
  std::optional<double> cost_best = {};    // median
  std::optional<double> p_value = {};      // of the one-sided signed-rank test
};

/// "kept: no other value is significantly better ..." and the figures.
/// Example: examples/adaptive_policies.cpp
[[nodiscard]] std::string to_string(const tuner_report& report);

}  // namespace weft::policies
