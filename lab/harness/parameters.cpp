// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rejects wrong parameters, with the nearest name or the allowed range.
#include "lab/harness/parameters.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/names.hpp"

namespace weft::lab {
namespace {

std::string unknown_parameter(std::string_view problem,
                              std::span<const parameter> known,
                              std::string_view name) {
  if (known.empty()) {
    return "problem " + std::string(problem) + " has no parameter; leave out \"" +
           std::string(name) + "\"";
  }
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const parameter& row : known) {
    names.emplace_back(row.name);
  }
  return unknown_name("parameter", name, names);
}

void check_range(const parameter& known, std::int64_t value) {
  if (value < known.minimum || value > known.maximum) {
    throw bad_cell("params",
                   std::string(known.name) + " is " + std::to_string(value) + "; it must be from " +
                       std::to_string(known.minimum) + " to " + std::to_string(known.maximum));
  }
}

}  // namespace

void check_parameters(std::string_view problem,
                      std::span<const parameter> known,
                      const std::map<std::string, std::int64_t>& given) {
  for (const auto& [name, value] : given) {
    const auto found = std::ranges::find(known, std::string_view(name), &parameter::name);
    if (found == known.end()) {
      throw bad_cell("params", unknown_parameter(problem, known, name));
    }
    check_range(*found, value);
  }
}

std::int64_t value_of(const parameter& known, const std::map<std::string, std::int64_t>& given) {
  const auto found = given.find(std::string(known.name));
  return found == given.end() ? known.default_value : found->second;
}

}  // namespace weft::lab
