// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the first difference of two sequences of numbers.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <sstream>
#include <string>

namespace weft::lab::inncabs {

/// Returns for example "element 17 is 3, expected 4", or an empty text. A NaN differs from every
/// number.
template <class T>
std::string first_difference(std::span<const T> found, std::span<const T> expected) {
  std::ostringstream text;
  text.precision(std::numeric_limits<T>::max_digits10);
  if (found.size() != expected.size()) {
    text << found.size() << " elements, expected " << expected.size();
    return text.str();
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool is_equal = found[i] == expected[i];
    if (!is_equal) {
      text << "element " << i << " is " << found[i] << ", expected " << expected[i];
      return text.str();
    }
  }
  return {};
}

}  // namespace weft::lab::inncabs
