// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The expected elements of algorithms that exist in place and from one array to another.
#pragma once

#include <cstddef>
#include <span>

#include "lab/stl/kernels.hpp"
#include "lab/stl/output_check.hpp"

namespace weft::lab::stl {

template <class T>
void expect_all(std::span<const T> elements, output_check<T>& check) {
  for (const T element : elements) {
    check.expect(element);
  }
}

template <class T>
void is_replaced(std::span<const T> input, output_check<T>& check) {
  for (const T element : input) {
    check.expect(element == kernels::unwanted<T> ? kernels::wanted<T> : element);
  }
}

template <class T>
void is_reversed(std::span<const T> input, output_check<T>& check) {
  for (std::size_t i = input.size(); i > 0; --i) {
    check.expect(input[i - 1]);
  }
}

}  // namespace weft::lab::stl
