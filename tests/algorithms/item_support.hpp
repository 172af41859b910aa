// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements with a key and a tag, for projections, and numbers in order.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace weft::test {

struct item {
  int key = 0;
  int tag = 0;
  bool operator==(const item&) const = default;
};

inline std::vector<int> counted(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Keys from 0 to 6 over and over, tags in order.
inline std::vector<item> items(int n) {
  std::vector<item> all;
  all.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    all.push_back({i % 7, i});
  }
  return all;
}

}  // namespace weft::test
