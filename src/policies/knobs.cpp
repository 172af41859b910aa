// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes settings of a runtime, and reports each change as a decision.
#include "weft/policies/knobs.hpp"

#include <chrono>
#include <optional>
#include <string_view>

#include "weft/policies/policy.hpp"
#include "weft/tasks/runtime_knobs.hpp"

namespace weft::policies {

bool workers_in_use::set(int wanted, std::string_view policy) const {
  const std::optional<tasks::worker_change> change = of_.use_workers(wanted);
  if (!change || change->before == change->after) {
    return false;
  }
  note_decision(policy, change->before, change->after);
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
