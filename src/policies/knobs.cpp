// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes settings of a runtime, and reports each change as a decision.
#include "weft/policies/knobs.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include "weft/policies/policy.hpp"
#include "weft/tasks/runtime_knobs.hpp"

namespace weft::policies {

workers_in_use::workers_in_use(runtime& of) : of_(of), most_(of_.num_workers().value_or(1)) {}

bool workers_in_use::set(int wanted, std::string_view policy) const {
  const std::optional<int> before = of_.num_workers();
  const int after = std::clamp(wanted, 1, most_);
  if (!before || *before == after || !of_.resize(after)) {
    return false;
  }
  note_decision(policy, *before, after);
  return true;
}

bool longest_search::set(std::chrono::microseconds wanted, std::string_view policy) const {
  const std::optional<std::chrono::microseconds> before = of_.longest_search();
  if (!before || *before == wanted || !of_.set_longest_search(wanted)) {
    return false;
  }
  note_decision(policy, static_cast<double>(before->count()), static_cast<double>(wanted.count()));
  return true;
}

}  // namespace weft::policies
