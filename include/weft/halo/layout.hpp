// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the cells of a field follow each other in memory.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>

#include "weft/halo/axis.hpp"

namespace weft::halo {

/// Distances between neighbouring cells along each dimension. Units: elements.
template <std::size_t num_dims>
using element_strides = std::array<std::ptrdiff_t, num_dims>;

namespace detail {

template <std::size_t num_dims>
consteval bool is_permutation_of_dims(const std::array<int, num_dims>& order) {
  std::array<bool, num_dims> seen{};
  for (const int each : order) {
    if (each < 0 || each >= static_cast<int>(num_dims) || seen[static_cast<std::size_t>(each)]) {
      return false;
    }
    seen[static_cast<std::size_t>(each)] = true;
  }
  return true;
}

/// Of numbers of a field too large to be one, which is refused where it is made.
constexpr std::ptrdiff_t wrapping_product(std::ptrdiff_t one, std::ptrdiff_t other) {
  return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(one) *
                                     static_cast<std::size_t>(other));
}

/// `position[d]`: how many dimensions have a smaller stride than d.
template <std::size_t num_dims>
constexpr element_strides<num_dims> dense_strides(const std::array<int, num_dims>& position,
                                                  const axes<num_dims>& box) {
  element_strides<num_dims> strides{};
  std::ptrdiff_t stride = 1;
  for (int place = 0; place < static_cast<int>(num_dims); ++place) {
    for (std::size_t d = 0; d < num_dims; ++d) {
      if (position[d] == place) {
        strides[d] = stride;
        stride = wrapping_product(stride, box[d].length);
      }
    }
  }
  return strides;
}

}  // namespace detail

/// The order of the cells in memory. Each order is a type, so that mixing them up does not compile.
/// A bare list of numbers is not accepted, because two opposite conventions for it are in use.
namespace layout {

/// Each number: how many dimensions have a smaller stride. C is `increasing<2, 1, 0>`, Fortran
/// `increasing<0, 1, 2>`. This is what Bianco's paper calls layout_map.
template <int... position>
struct increasing {
  static constexpr std::size_t num_dims = sizeof...(position);
  static_assert(num_dims >= 1 && num_dims <= 4, "a field has 1 to 4 dimensions");
  static_assert(detail::is_permutation_of_dims(std::array<int, num_dims>{position...}),
                "a layout lists each of 0 .. N-1 once");

  [[nodiscard]] static constexpr element_strides<num_dims> strides(const axes<num_dims>& box) {
    return detail::dense_strides(std::array<int, num_dims>{position...}, box);
  }
};

/// Each number: how many dimensions have a larger stride. C is `decreasing<0, 1, 2>`. This is what
/// GridTools calls layout_map since 2015.
template <int... position>
struct decreasing {
  static constexpr std::size_t num_dims = sizeof...(position);
  static_assert(num_dims >= 1 && num_dims <= 4, "a field has 1 to 4 dimensions");
  static_assert(detail::is_permutation_of_dims(std::array<int, num_dims>{position...}),
                "a layout lists each of 0 .. N-1 once");

  [[nodiscard]] static constexpr element_strides<num_dims> strides(const axes<num_dims>& box) {
    return detail::dense_strides(
        std::array<int, num_dims>{(static_cast<int>(num_dims) - 1 - position)...}, box);
  }
};

/// The last dimension is contiguous, as in C.
template <std::size_t dims>
struct right {
  static constexpr std::size_t num_dims = dims;
  static_assert(num_dims >= 1 && num_dims <= 4, "a field has 1 to 4 dimensions");

  [[nodiscard]] static constexpr element_strides<num_dims> strides(const axes<num_dims>& box) {
    element_strides<num_dims> found{};
    std::ptrdiff_t stride = 1;
    for (std::size_t d = num_dims; d-- > 0;) {
      found[d] = stride;
      stride = detail::wrapping_product(stride, box[d].length);
    }
    return found;
  }
};

/// The first dimension is contiguous, as in Fortran.
template <std::size_t dims>
struct left {
  static constexpr std::size_t num_dims = dims;
  static_assert(num_dims >= 1 && num_dims <= 4, "a field has 1 to 4 dimensions");

  [[nodiscard]] static constexpr element_strides<num_dims> strides(const axes<num_dims>& box) {
    element_strides<num_dims> found{};
    std::ptrdiff_t stride = 1;
    for (std::size_t d = 0; d < num_dims; ++d) {
      found[d] = stride;
      stride = detail::wrapping_product(stride, box[d].length);
    }
    return found;
  }
};

/// Strides known at run time only, in elements: slices, padded rows, arrays of others.
template <std::size_t dims>
struct strided {
  static constexpr std::size_t num_dims = dims;
  static_assert(num_dims >= 1 && num_dims <= 4, "a field has 1 to 4 dimensions");

  element_strides<dims> in_elements{};

  [[nodiscard]] constexpr element_strides<num_dims> strides(const axes<num_dims>& /*box*/) const {
    return in_elements;
  }
};

}  // namespace layout

/// A type of `weft::halo::layout`, or one like them.
template <class Layout>
concept field_layout = requires(const Layout& how, const axes<Layout::num_dims>& box) {
  { how.strides(box) } -> std::same_as<element_strides<Layout::num_dims>>;
};

}  // namespace weft::halo
