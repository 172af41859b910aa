// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The least and the greatest element of a range.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/min_max.hpp"

namespace weft {

namespace algorithms::detail {

struct orders_elements {
  using default_call = std::ranges::less;
  template <class It, class Comp, class Proj>
  static constexpr bool allows = std::indirect_strict_weak_order<Comp, std::projected<It, Proj>>;
};
struct orders_values {
  using default_call = std::ranges::less;
  template <class Range>
  using result = std::ranges::range_value_t<Range>;
  template <class It, class Comp, class Proj>
  static constexpr bool allows = std::indirect_strict_weak_order<Comp, std::projected<It, Proj>> &&
                                 std::indirectly_copyable_storable<It, std::iter_value_t<It>*>;
};

struct range_min_element : gives_iterator, orders_elements {
  static auto run(const auto& how, auto in, auto less) {
    return weft::min_element(how, in.first, in.last, std::move(less));
  }
};
struct range_max_element : gives_iterator, orders_elements {
  static auto run(const auto& how, auto in, auto less) {
    return weft::max_element(how, in.first, in.last, std::move(less));
  }
};
struct range_minmax_element : orders_elements {
  template <class Range>
  using result = std::ranges::minmax_element_result<std::ranges::borrowed_iterator_t<Range>>;
  template <class It>
  static auto run(const auto& how, bounds<It> in, auto less) {
    auto [least, greatest] = weft::minmax_element(how, in.first, in.last, std::move(less));
    return std::ranges::minmax_element_result<It>{std::move(least), std::move(greatest)};
  }
};

struct range_min : orders_values {
  static auto run(const auto& how, auto in, auto less) {
    return *weft::min_element(how, in.first, in.last, std::move(less));
  }
};
/// The last of the greatest, as std::ranges::max may choose any, is not looked for: the first.
struct range_max : orders_values {
  static auto run(const auto& how, auto in, auto less) {
    return *weft::max_element(how, in.first, in.last, std::move(less));
  }
};
struct range_minmax : orders_values {
  template <class Range>
  using result = std::ranges::minmax_result<std::ranges::range_value_t<Range>>;
  template <class It>
  static auto run(const auto& how, bounds<It> in, auto less) {
    const auto [least, greatest] = weft::minmax_element(how, in.first, in.last, std::move(less));
    return std::ranges::minmax_result<std::iter_value_t<It>>{*least, *greatest};
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// The first of the least elements: `min_element(policy, range, less = {}, proj = {})`.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_min_element>
    min_element;
/// The first of the greatest elements.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_max_element>
    max_element;
/// The first of the least and the last of the greatest elements.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_minmax_element>
    minmax_element;

/// A copy of the first of the least elements of a range that is not empty.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_min> min;
/// A copy of the first of the greatest elements of a range that is not empty.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_max> max;
/// Copies of the first of the least and the last of the greatest elements of a range that is not
/// empty.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_minmax> minmax;

}  // namespace ranges
}  // namespace weft
