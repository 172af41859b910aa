// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One dimension of a field in five numbers: halo widths, where the inner region begins and ends,
// and the length with padding.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <string>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::halo {

struct axis;

namespace detail {
/// Not constexpr: a wrong axis in a constant expression is a compile error that shows `why`.
[[noreturn]] void bad_axis(const char* why, const axis& what, const std::source_location& where);
}  // namespace detail

/// A dimension of a field, `[0, length)`. This rank owns the inner region `[begin, end]`, both
/// inclusive, with `minus` halo cells right below and `plus` right above it.
///
/// The rest of `length` on either side is padding, which no exchange touches.
/// Units:   cells.
/// Errors:  `halo::error` (`bad_axis`) for numbers that do not fit together; in a constant
///          expression the program does not compile.
/// Source:  Bianco, "An interface for halo exchange pattern", figure 3.
/// Example: tests/halo/descriptors_test.cpp: the_papers_figure_3.
struct axis {
  std::ptrdiff_t minus = 0;
  std::ptrdiff_t plus = 0;
  std::ptrdiff_t begin = 0;
  std::ptrdiff_t end = 0;  // inclusive
  std::ptrdiff_t length = 1;

  constexpr axis() = default;
  constexpr axis(std::ptrdiff_t cells_below,
                 std::ptrdiff_t cells_above,
                 std::ptrdiff_t first,
                 std::ptrdiff_t last,
                 std::ptrdiff_t all,
                 std::source_location where = std::source_location::current())
      : minus(cells_below), plus(cells_above), begin(first), end(last), length(all) {
    check(where);
  }

  /// An axis of `cells` cells, all of them inner; go on with `.halo(...)` and `.pad(...)`.
  [[nodiscard]] static constexpr axis inner(
      std::ptrdiff_t cells, std::source_location where = std::source_location::current()) {
    return {0, 0, 0, cells - 1, cells, where};
  }
  /// The same axis with `width` halo cells on each side, next to the inner region.
  [[nodiscard]] constexpr axis halo(
      std::ptrdiff_t width, std::source_location where = std::source_location::current()) const {
    return halo(width, width, where);
  }
  [[nodiscard]] constexpr axis halo(
      std::ptrdiff_t below,
      std::ptrdiff_t above,
      std::source_location where = std::source_location::current()) const {
    const std::ptrdiff_t padding_below = begin - minus;
    const std::ptrdiff_t padding_above = length - 1 - end - plus;
    const std::ptrdiff_t first = padding_below + below;
    return {below, above, first, first + size() - 1, first + size() + above + padding_above, where};
  }
  /// The same axis with this much padding before and behind, which no exchange touches.
  [[nodiscard]] constexpr axis pad(
      std::ptrdiff_t before,
      std::ptrdiff_t behind,
      std::source_location where = std::source_location::current()) const {
    return {minus, plus, begin + before, end + before, length + before + behind, where};
  }

  /// Width of the inner region.
  [[nodiscard]] constexpr std::ptrdiff_t size() const noexcept { return end - begin + 1; }
  /// Throws unless the numbers fit together.
  constexpr void check(const std::source_location& where = std::source_location::current()) const {
    if (minus < 0 || plus < 0) {
      detail::bad_axis("a halo cannot be narrower than 0", *this, where);
    }
    if (end < begin) {
      detail::bad_axis("there is no inner region: end lies below begin", *this, where);
    }
    if (begin < minus) {
      detail::bad_axis("halo minus does not fit below begin", *this, where);
    }
    if (length - 1 - end < plus) {
      detail::bad_axis("halo plus does not fit between end and length", *this, where);
    }
  }
  /// Empty: the numbers fit together; else what is wrong, with the numbers and what they need.
  [[nodiscard]] std::string trouble() const;

  bool operator==(const axis&) const = default;
};

/// All dimensions of a field, in the user's order.
template <std::size_t num_dims>
using axes = std::array<axis, num_dims>;

/// "{minus=2, plus=3, begin=3, end=8, length=13}"
[[nodiscard]] std::string to_string(const axis& what);

}  // namespace weft::halo
