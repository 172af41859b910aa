// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks of a job, as places where functions are called.
#pragma once

#include <compare>
#include <ranges>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::distributed {

/// One rank of the job.
class locality {
 public:
  constexpr explicit locality(int rank) noexcept : rank_(rank) {}
  [[nodiscard]] constexpr int rank() const noexcept { return rank_; }
  friend constexpr auto operator<=>(locality, locality) noexcept = default;

 private:
  int rank_;
};

/// The calling rank.
/// Errors:  `weft::error` if there is no `weft::distributed::runtime`.
/// Example: tests/distributed/calls_test.cpp: each_rank_knows_itself.
[[nodiscard]] locality here();

/// How many ranks the job has. Errors: as `here`.
[[nodiscard]] int num_localities();

/// All ranks, 0 first. Errors: as `here`.
[[nodiscard]] inline auto all() {
  return std::views::iota(0, num_localities()) |
         std::views::transform([](int rank) { return locality(rank); });
}

}  // namespace weft::distributed
