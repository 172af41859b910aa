// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares an answer with the sequential one: floating-point numbers within a bound, other values
// exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <ranges>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft::bench {

namespace detail {

template <class T>
std::string text_of(const T& value, int digits = std::numeric_limits<double>::max_digits10) {
  if constexpr (requires(std::ostringstream& out) { out << value; }) {
    std::ostringstream out;
    out.precision(digits);
    out << value;
    return out.str();
  } else {
    return "another value";
  }
}

/// Units: distances between neighbouring numbers at the larger of the two.
template <std::floating_point T>
double ulps_between(T a, T b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) {
    return 0;
  }
  const T scale = std::max(std::abs(a), std::abs(b));
  if (!std::isfinite(scale)) {
    return std::numeric_limits<double>::infinity();
  }
  const T ulp =
      std::max(std::numeric_limits<T>::epsilon() * scale, std::numeric_limits<T>::denorm_min());
  return static_cast<double>(std::abs(a / ulp - b / ulp));
}

template <class T>
concept tuple_like = requires { std::tuple_size<T>::value; };

template <class T>
inline constexpr bool is_complex = false;
template <class T>
inline constexpr bool is_complex<std::complex<T>> = true;

}  // namespace detail

/// Returns the first difference of `found`, for example "element 17 is 3, expected 4"; empty: none.
///
/// Ranges, pairs and tuples are compared part by part. Floating-point parts may differ by `ulps`
/// units in the last place; two NaNs are equal.
template <class Found, class Expected>
std::string difference(const Found& found, const Expected& expected, double ulps);

namespace detail {

template <class Found, class Expected>
std::string difference_of_parts(const Found& found, const Expected& expected, double ulps) {
  return [&]<std::size_t... part>(std::index_sequence<part...>) {
    std::string what;
    ((what.empty() ? void(what = difference(std::get<part>(found), std::get<part>(expected), ulps))
                   : void()),
     ...);
    return what;
  }(std::make_index_sequence<std::tuple_size_v<Found>>());
}

template <class Found, class Expected>
std::string difference_of_ranges(const Found& found, const Expected& expected, double ulps) {
  const auto size = std::ranges::distance(found);
  const auto expected_size = std::ranges::distance(expected);
  if (size != expected_size) {
    return std::to_string(size) + " elements, expected " + std::to_string(expected_size);
  }
  auto other = std::ranges::begin(expected);
  std::size_t index = 0;
  for (const auto& element : found) {
    const std::string what = difference(element, *other, ulps);
    if (!what.empty()) {
      return "element " + std::to_string(index) + ": " + what;
    }
    ++other;
    ++index;
  }
  return {};
}

}  // namespace detail

template <class Found, class Expected>
std::string difference(const Found& found, const Expected& expected, double ulps) {
  if constexpr (std::floating_point<Found>) {
    const double distance = detail::ulps_between<Found>(found, expected);
    return distance <= ulps
               ? std::string()
               : detail::text_of(found) + ", expected " + detail::text_of(expected) + " within " +
                     detail::text_of(ulps) + " ulps; it is " + detail::text_of(distance) + " away";
  } else if constexpr (detail::is_complex<Found>) {
    return difference(
        std::pair(found.real(), found.imag()), std::pair(expected.real(), expected.imag()), ulps);
  } else if constexpr (std::ranges::forward_range<const Found>) {
    return detail::difference_of_ranges(found, expected, ulps);
  } else if constexpr (detail::tuple_like<Found>) {
    return detail::difference_of_parts(found, expected, ulps);
  } else {
    static_assert(std::equality_comparable_with<Found, Expected>,
                  "the answer has no ==: return what can be compared, or give "
                  "weft::bench::check(...)");
    return found == expected ? std::string()
                             : detail::text_of(found) + ", expected " + detail::text_of(expected);
  }
}

}  // namespace weft::bench
