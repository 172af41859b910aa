// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels over contiguous numbers that need no vectors, by name.
#pragma once

#include <cstddef>

#include "algorithms/number_kernel_macros.hpp"

namespace weft::algorithms::detail::kernels::plain {

#define WEFT_DECLARE_EQUALITY(number, name)                                                \
  std::size_t find_equal_##name(const number* data, std::size_t n, number value);          \
  std::size_t behind_last_equal_##name(const number* data, std::size_t n, number value);   \
  std::size_t behind_last_ends_##name(                                                     \
      const number* data, std::size_t n, std::size_t size, number front, number back);     \
  std::size_t count_equal_##name(const number* data, std::size_t n, number value);         \
  std::size_t find_pair_equal_##name(const number* a, const number* b, std::size_t n);     \
  std::size_t find_pair_different_##name(const number* a, const number* b, std::size_t n); \
  std::size_t find_ends_##name(                                                            \
      const number* data, std::size_t n, std::size_t size, number front, number back);
#define WEFT_DECLARE_ORDER(number, name)                                              \
  std::size_t find_pair_less_##name(const number* a, const number* b, std::size_t n); \
  number least_##name(const number* data, std::size_t n);                             \
  number greatest_##name(const number* data, std::size_t n);
#define WEFT_DECLARE_SUM(number, name) number sum_##name(const number* data, std::size_t n);
#define WEFT_DECLARE_DOT(number, name) \
  number dot_##name(const number* a, const number* b, std::size_t n);

WEFT_EQUALITY_NUMBERS(WEFT_DECLARE_EQUALITY)
WEFT_ORDER_NUMBERS(WEFT_DECLARE_ORDER)
WEFT_SUM_NUMBERS(WEFT_DECLARE_SUM)
WEFT_DOT_NUMBERS(WEFT_DECLARE_DOT)

#undef WEFT_DECLARE_EQUALITY
#undef WEFT_DECLARE_ORDER
#undef WEFT_DECLARE_SUM
#undef WEFT_DECLARE_DOT

}  // namespace weft::algorithms::detail::kernels::plain
