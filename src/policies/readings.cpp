// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds readings by name.
#include "weft/policies/readings.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

#include "base/nearest_name.hpp"

namespace weft::policies {

const reading& readings::of(std::string_view name) const {
  const counters::counter_name pattern = counters::parse_counter_name(name);
  const std::string full = to_string(counters::complete(pattern));
  const reading* found = nullptr;
  for (const reading& each : all) {
    if (each.name == full || each.name == name) {
      return each;
    }
    if (matches(pattern, counters::parse_counter_name(each.name))) {
      if (found != nullptr) {
        throw error("counter name " + std::string(name) +
                    " means several counters of this policy, such as " + found->name + " and " +
                    each.name + "; write one of them");
      }
      found = &each;
    }
  }
  if (found == nullptr) {
    const auto nearest = weft::detail::nearest_name(all, full, &reading::name);
    throw error(
        "the policy reads no counter " + std::string(name) +
        (nearest == all.end() ? "; it reads none" : "; did you mean " + nearest->name + "?"));
  }
  return *found;
}

std::optional<double> readings::rate_per_s(std::string_view name) const {
  const reading& counted = of(name);
  const double elapsed_s = std::chrono::duration<double>(since_last).count();
  if (!counted.change || elapsed_s <= 0) {
    return std::nullopt;
  }
  return *counted.change / elapsed_s;
}

bool readings::is_above(std::string_view name, double limit) const {
  const std::optional<double>& value = of(name).value;
  return value && *value > limit;
}

bool readings::is_below(std::string_view name, double limit) const {
  const std::optional<double>& value = of(name).value;
  return value && *value < limit;
}

}  // namespace weft::policies
