// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `every`, for policies that messages call by a name.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "weft/policies/policy.hpp"
#include "weft/policies/readings.hpp"

namespace weft::policies::detail {

/// Errors: as `every`.
[[nodiscard]] policy named_policy(std::string name,
                                  std::chrono::nanoseconds period,
                                  const std::vector<std::string>& counters,
                                  std::function<void(const readings&)> f);

}  // namespace weft::policies::detail
