// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over contiguous numbers where there is no Highway.
#if !defined(WEFT_HAS_HIGHWAY)

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "weft/algorithms/detail/number_kernels.hpp"

namespace weft::algorithms::detail::kernels {
namespace {

/// The first of n positions that passes: a block of them is looked at between two branches.
template <class Test>
std::size_t first_that(std::size_t n, Test test) {
  constexpr std::size_t block = 16;
  std::size_t i = 0;
  for (; n - i >= block; i += block) {
    unsigned hits = 0;
    for (std::size_t j = 0; j < block; ++j) {
      hits |= test(i + j) ? 1U : 0U;
    }
    if (hits != 0) {
      break;
    }
  }
  while (i < n && !test(i)) {
    ++i;
  }
  return i;
}

template <class Test>
std::size_t behind_last_that(std::size_t n, Test test) {
  while (n != 0 && !test(n - 1)) {
    --n;
  }
  return n;
}

template <class Number, class Join>
Number joined(const Number* data, std::size_t n, Number first, Join join) {
  constexpr std::size_t lanes = 16;
  Number total = first;
  std::size_t i = 0;
  if (n >= lanes) {
    std::array<Number, lanes> parts;
    std::copy_n(data, lanes, parts.begin());
    for (i = lanes; n - i >= lanes; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        parts[lane] = join(parts[lane], data[i + lane]);
      }
    }
    for (const Number part : parts) {
      total = join(total, part);
    }
  }
  for (; i < n; ++i) {
    total = join(total, data[i]);
  }
  return total;
}

template <class Number>
Number dot_product(const Number* a, const Number* b, std::size_t n) {
  constexpr std::size_t lanes = 8;
  std::array<Number, lanes> sums{};
  std::size_t i = 0;
  for (; n - i >= lanes; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += a[i + lane] * b[i + lane];
    }
  }
  Number total = joined(sums.data(), lanes, Number{0}, [](Number x, Number y) { return x + y; });
  for (; i < n; ++i) {
    total += a[i] * b[i];
  }
  return total;
}

}  // namespace

#define WEFT_EQUALITY(number)                                                              \
  std::size_t find_equal(const number* data, std::size_t n, number value) {                \
    return first_that(n, [=](std::size_t i) { return data[i] == value; });                 \
  }                                                                                        \
  std::size_t behind_last_equal(const number* data, std::size_t n, number value) {         \
    return behind_last_that(n, [=](std::size_t i) { return data[i] == value; });           \
  }                                                                                        \
  std::size_t behind_last_ends(                                                            \
      const number* data, std::size_t n, std::size_t size, number front, number back) {    \
    return behind_last_that(                                                               \
        n, [=](std::size_t i) { return data[i] == front && data[i + size - 1] == back; }); \
  }                                                                                        \
  std::size_t count_equal(const number* data, std::size_t n, number value) {               \
    return static_cast<std::size_t>(std::count(data, data + n, value));                    \
  }                                                                                        \
  std::size_t find_pair_equal(const number* a, const number* b, std::size_t n) {           \
    return first_that(n, [=](std::size_t i) { return a[i] == b[i]; });                     \
  }                                                                                        \
  std::size_t find_pair_different(const number* a, const number* b, std::size_t n) {       \
    return first_that(n, [=](std::size_t i) { return a[i] != b[i]; });                     \
  }                                                                                        \
  std::size_t find_ends(                                                                   \
      const number* data, std::size_t n, std::size_t size, number front, number back) {    \
    return first_that(                                                                     \
        n, [=](std::size_t i) { return data[i] == front && data[i + size - 1] == back; }); \
  }
#define WEFT_ORDER(number)                                                             \
  std::size_t find_pair_less(const number* a, const number* b, std::size_t n) {        \
    return first_that(n, [=](std::size_t i) { return a[i] < b[i]; });                  \
  }                                                                                    \
  number least(const number* data, std::size_t n) {                                    \
    return joined(data, n, data[0], [](number x, number y) { return y < x ? y : x; }); \
  }                                                                                    \
  number greatest(const number* data, std::size_t n) {                                 \
    return joined(data, n, data[0], [](number x, number y) { return x < y ? y : x; }); \
  }
#define WEFT_SUM(number)                                                         \
  number sum(const number* data, std::size_t n) {                                \
    return joined(data, n, number{0}, [](number x, number y) { return x + y; }); \
  }
#define WEFT_DOT(number) \
  number dot(const number* a, const number* b, std::size_t n) { return dot_product(a, b, n); }

WEFT_EQUALITY(std::uint8_t)
WEFT_EQUALITY(std::uint16_t)
WEFT_EQUALITY(std::uint32_t)
WEFT_EQUALITY(std::uint64_t)
WEFT_EQUALITY(float)
WEFT_EQUALITY(double)
WEFT_ORDER(std::int32_t)
WEFT_ORDER(std::uint32_t)
WEFT_ORDER(std::int64_t)
WEFT_ORDER(std::uint64_t)
WEFT_ORDER(float)
WEFT_ORDER(double)
WEFT_SUM(std::uint32_t)
WEFT_SUM(std::uint64_t)
WEFT_SUM(float)
WEFT_SUM(double)
WEFT_DOT(float)
WEFT_DOT(double)

#undef WEFT_EQUALITY
#undef WEFT_ORDER
#undef WEFT_SUM
#undef WEFT_DOT

}  // namespace weft::algorithms::detail::kernels

#endif
