// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds a counter among readings.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/process.hpp"

namespace weft::counters::test {

inline reading find(const std::vector<reading>& readings, std::string_view name) {
  const auto found = std::ranges::find(readings, name, &reading::name);
  if (found == readings.end()) {
    throw std::out_of_range("no reading called " + std::string(name));
  }
  return *found;
}

}  // namespace weft::counters::test
