// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over contiguous numbers for builds without Highway.
#include "algorithms/plain_number_kernels.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "algorithms/number_kernel_macros.hpp"

namespace weft::algorithms::detail::kernels {
namespace plain {
namespace {

template <class Number>
struct equal_to_value {
  const Number* data;
  Number value;
  bool operator()(std::size_t i) const { return data[i] == value; }
};

template <class Number>
struct pair_equal {
  const Number* a;
  const Number* b;
  bool operator()(std::size_t i) const { return a[i] == b[i]; }
};

template <class Number>
struct pair_different {
  const Number* a;
  const Number* b;
  bool operator()(std::size_t i) const { return a[i] != b[i]; }
};

template <class Number>
struct pair_less {
  const Number* a;
  const Number* b;
  bool operator()(std::size_t i) const { return a[i] < b[i]; }
};

template <class Number>
struct ends_equal {
  const Number* data;
  const Number* far;
  Number front;
  Number back;
  bool operator()(std::size_t i) const { return data[i] == front && far[i] == back; }
};

struct lesser {
  template <class Number>
  Number operator()(Number a, Number b) const {
    return b < a ? b : a;
  }
};
struct greater {
  template <class Number>
  Number operator()(Number a, Number b) const {
    return a < b ? b : a;
  }
};
struct add {
  template <class Number>
  Number operator()(Number a, Number b) const {
    return static_cast<Number>(a + b);
  }
};

/// Returns the first of n positions that passes. The loop tests a block per branch.
template <class Number, class Test>
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

template <class Number, class Test>
std::size_t behind_last_that(std::size_t n, Test test) {
  while (n != 0 && !test(n - 1)) {
    --n;
  }
  return n;
}

template <class Number>
std::size_t how_many_equal(const Number* data, std::size_t n, Number value) {
  return static_cast<std::size_t>(std::count(data, data + n, value));
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
  std::array<Number, lanes> sums;
  sums.fill(nothing_to_add<Number>);
  std::size_t i = 0;
  for (; n - i >= lanes; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += a[i + lane] * b[i + lane];
    }
  }
  Number total = joined(sums.data(), lanes, nothing_to_add<Number>, add{});
  for (; i < n; ++i) {
    total += a[i] * b[i];
  }
  return total;
}

}  // namespace

WEFT_DEFINE_KERNELS()

}  // namespace plain

#if !defined(WEFT_HAS_HIGHWAY)
#define WEFT_KNOWN_KERNEL(name) static_assert(true)
#define WEFT_CHOSEN_KERNEL(name) plain::name

WEFT_CHOOSE_KERNELS()

#endif

}  // namespace weft::algorithms::detail::kernels
