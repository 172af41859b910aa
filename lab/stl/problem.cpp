// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of problems, filled by the problems themselves.
#include "lab/stl/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace weft::lab::stl {
namespace {

std::vector<problem>& table() {
  static std::vector<problem> rows;
  return rows;
}

}  // namespace

const std::vector<problem>& problems() { return table(); }

registration::registration(const problem& what) {
  const auto place =
      std::lower_bound(table().begin(), table().end(), what, [](const auto& a, const auto& b) {
        return a.name < b.name;
      });
  table().insert(place, what);
}

std::size_t countable_bytes(double bytes) {
  constexpr auto largest = std::numeric_limits<std::size_t>::max();
  return bytes < static_cast<double>(largest) ? static_cast<std::size_t>(bytes) : largest;
}

}  // namespace weft::lab::stl
