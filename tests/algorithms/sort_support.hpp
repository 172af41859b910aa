// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs that sorts, merges and selections find hard, and workers to run them on.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft::test {

enum class pattern : unsigned char { random, equal, sorted, reversed, organ_pipe, few_distinct };

inline constexpr std::array all_patterns{pattern::random,
                                         pattern::equal,
                                         pattern::sorted,
                                         pattern::reversed,
                                         pattern::organ_pipe,
                                         pattern::few_distinct};

/// `n` numbers below 2^24 in that pattern.
inline std::vector<int> numbers(pattern which, std::size_t n, std::uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<int> made(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = static_cast<int>(i);
    const auto size = static_cast<int>(n);
    switch (which) {
      case pattern::random:
        made[i] = static_cast<int>(random() >> 8U);
        break;
      case pattern::equal:
        made[i] = 7;
        break;
      case pattern::sorted:
        made[i] = place;
        break;
      case pattern::reversed:
        made[i] = size - place;
        break;
      case pattern::organ_pipe:
        made[i] = std::min(place, size - place);
        break;
      case pattern::few_distinct:
        made[i] = static_cast<int>(random() % 5);
        break;
    }
  }
  return made;
}

/// `n` numbers from 0 to about 2^20, of which the first `first_size` and the others ascend, some in
/// equal pairs, as if they had been drawn and sorted.
inline std::vector<double> two_ascending(std::size_t first_size, std::size_t n) {
  std::mt19937 random(1);
  std::vector<double> made(n);
  const auto ascend = [&](std::size_t first, std::size_t last) {
    const double mean_step = 0x1p20 / static_cast<double>(last - first);
    double value = 0;
    for (std::size_t i = first; i < last; ++i) {
      value += mean_step * static_cast<double>(random() % 4) * 0.5;
      made[i] = std::floor(value);
    }
  };
  ascend(0, first_size);
  ascend(first_size, n);
  return made;
}

/// As `numbers` as another type.
template <class T>
std::vector<T> values_of(const std::vector<int>& from) {
  std::vector<T> made;
  made.reserve(from.size());
  for (const int x : from) {
    if constexpr (std::is_same_v<T, std::string>) {
      made.push_back("a string too long for its own room " + std::to_string(x));
    } else {
      made.push_back(static_cast<T>(x));
    }
  }
  return made;
}

inline runtime_options workers(std::size_t n) {
  runtime_options options;
  options.workers = static_cast<int>(n);
  return options;
}

/// Compares until it has been asked often enough, then throws.
class throwing_less {
 public:
  explicit throwing_less(std::atomic<long>& calls_left) : calls_left_(&calls_left) {}

  template <class T>
  bool operator()(const T& a, const T& b) const {
    if (calls_left_->fetch_sub(1) <= 0) {
      throw std::runtime_error("enough compared");
    }
    return a < b;
  }

 private:
  std::atomic<long>* calls_left_;
};

}  // namespace weft::test
