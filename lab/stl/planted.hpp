// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where checkers of queries change the input to get another answer, and how they restore it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"

namespace weft::lab::stl {

/// The largest pattern that is planted. Units: elements.
inline constexpr std::size_t max_planted = 8;

/// Restores the elements that planting at one position may change.
template <class T>
class planted {
 public:
  planted(std::span<T> elements, std::size_t i)
      : place_(elements.subspan(i > 0 ? i - 1 : 0)
                   .first(std::min(max_planted + 2, elements.size() - (i > 0 ? i - 1 : 0)))),
        original_(place_.begin(), place_.end()) {}
  planted(const planted&) = delete;
  planted& operator=(const planted&) = delete;
  ~planted() { std::copy(original_.begin(), original_.end(), place_.begin()); }

 private:
  std::span<T> place_;
  std::vector<T> original_;
};

/// Pairs of positions, the second equal to or after the first: at both ends and between them.
inline std::array<std::pair<std::size_t, std::size_t>, 8> planted_places(std::size_t size) {
  const std::size_t last = size - 1;
  const auto with_later = [=](std::size_t i) {
    return std::pair{i, std::min(last, i + size / 5 + 1)};
  };
  return {with_later(0),
          with_later(std::min<std::size_t>(1, last)),
          with_later(last / 3),
          with_later(last / 2),
          with_later(last - last / 3),
          with_later(last - std::min(last, max_planted - 1)),
          {last - std::min<std::size_t>(1, last), last - std::min<std::size_t>(1, last)},
          with_later(last)};
}

inline std::string mismatch_of(answer given, answer expected) {
  if (given == expected) {
    return {};
  }
  const auto text = [](answer of) { return text_of(of.number) + ", " + text_of(of.second); };
  return given.second == expected.second
             ? "answer is " + text_of(given.number) + ", expected " + text_of(expected.number)
             : "answers are " + text(given) + ", expected " + text(expected);
}

}  // namespace weft::lab::stl
