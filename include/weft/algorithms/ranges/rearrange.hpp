// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of a range in another place: reversed, rotated, shifted, removed, unique, parted.
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/remove.hpp"
#include "weft/algorithms/reverse.hpp"
#include "weft/algorithms/rotate.hpp"
#include "weft/algorithms/shift.hpp"
#include "weft/algorithms/unique.hpp"

namespace weft {

namespace algorithms::detail {

struct range_remove_if : gives_subrange, permutes {
  static auto run(const auto& how, auto in, auto pred) {
    return std::ranges::subrange(weft::remove_if(how, in.first, in.last, std::move(pred)), in.last);
  }
};
struct range_remove : gives_subrange, permutes {
  static auto run(const auto& how, auto in, const auto& value) {
    return std::ranges::subrange(weft::remove(how, in.first, in.last, value), in.last);
  }
  static auto run_if(const auto& how, auto in, auto pred) {
    return range_remove_if::run(how, in, std::move(pred));
  }
};
struct range_unique : gives_subrange {
  using default_call = std::ranges::equal_to;
  template <class It, class Comp, class Proj>
  static constexpr bool allows =
      std::permutable<It> && std::indirect_equivalence_relation<Comp, std::projected<It, Proj>>;
  static auto run(const auto& how, auto in, auto equal) {
    return std::ranges::subrange(weft::unique(how, in.first, in.last, std::move(equal)), in.last);
  }
};
struct range_partition : gives_subrange, permutes {
  static auto run(const auto& how, auto in, auto pred) {
    return std::ranges::subrange(weft::partition(how, in.first, in.last, std::move(pred)), in.last);
  }
};
struct range_stable_partition : gives_subrange {
  template <class It>
  static constexpr bool allows = std::bidirectional_iterator<It> && std::permutable<It>;
  static auto run(const auto& how, auto in, auto pred) {
    return std::ranges::subrange(weft::stable_partition(how, in.first, in.last, std::move(pred)),
                                 in.last);
  }
};

struct range_reverse {
  template <execution_policy Policy, range_for<Policy> Range>
    requires std::ranges::bidirectional_range<Range> &&
             std::permutable<std::ranges::iterator_t<Range>>
  auto operator()(Policy&& policy, Range&& range) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy, [in = bounds_of(range)](const auto& how) {
          weft::reverse(how, in.first, in.last);
          return in.last;
        });
  }
  template <execution_policy Policy, std::bidirectional_iterator It, std::sentinel_for<It> Last>
    requires std::permutable<It>
  auto operator()(Policy&& policy, It first, Last last) const -> algorithm_result_t<Policy, It> {
    return (*this)(policy, subrange_of<It, Last>(first, last));
  }
};

struct range_rotate {
  template <execution_policy Policy, range_for<Policy> Range>
    requires std::permutable<std::ranges::iterator_t<Range>>
  auto operator()(Policy&& policy, Range&& range, std::ranges::iterator_t<Range> middle) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_subrange_t<Range>> {
    return call_range<std::ranges::borrowed_subrange_t<Range>>(
        policy, [in = bounds_of(range), middle = std::move(middle)](const auto& how) {
          return std::ranges::subrange(weft::rotate(how, in.first, middle, in.last), in.last);
        });
  }
  template <execution_policy Policy, std::forward_iterator It, std::sentinel_for<It> Last>
    requires std::permutable<It>
  auto operator()(Policy&& policy, It first, It middle, Last last) const
      -> algorithm_result_t<Policy, std::ranges::subrange<It>> {
    return (*this)(policy, subrange_of<It, Last>(first, last), std::move(middle));
  }
};

/// `Algorithm::run(policy, bounds, distance)`.
template <class Algorithm>
struct shift_form {
  template <execution_policy Policy, range_for<Policy> Range>
    requires std::permutable<std::ranges::iterator_t<Range>>
  auto operator()(Policy&& policy,
                  Range&& range,
                  std::ranges::range_difference_t<Range> distance) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_subrange_t<Range>> {
    return call_range<std::ranges::borrowed_subrange_t<Range>>(
        policy, [in = bounds_of(range), distance](const auto& how) {
          return Algorithm::run(how, in, distance);
        });
  }
  template <execution_policy Policy, std::forward_iterator It, std::sentinel_for<It> Last>
    requires std::permutable<It>
  auto operator()(Policy&& policy, It first, Last last, std::iter_difference_t<It> distance) const
      -> algorithm_result_t<Policy, std::ranges::subrange<It>> {
    return (*this)(policy, subrange_of<It, Last>(first, last), distance);
  }
};
struct range_shift_left {
  static auto run(const auto& how, auto in, auto distance) {
    return std::ranges::subrange(in.first, weft::shift_left(how, in.first, in.last, distance));
  }
};
struct range_shift_right {
  static auto run(const auto& how, auto in, auto distance) {
    return std::ranges::subrange(weft::shift_right(how, in.first, in.last, distance), in.last);
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Moves elements whose projections do not equal a value to the front: `remove(policy, range,
/// value, proj = {})`; returns what is behind them.
inline constexpr algorithms::detail::value_form<algorithms::detail::range_remove> remove;
/// Moves elements for which a predicate is false to the front.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_remove_if> remove_if;
/// Moves the first of equal neighbours each to the front: `unique(policy, range, equal = {}, proj =
/// {})`; returns what is behind them.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_unique> unique;
/// Moves elements for which a predicate is true before all others, and returns those.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_partition> partition;
/// The same, and keeps the order of either.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_stable_partition>
    stable_partition;
/// Turns a range round; returns its end.
inline constexpr algorithms::detail::range_reverse reverse;
/// Moves what is before `middle` behind the rest: `rotate(policy, range, middle)`; returns it.
inline constexpr algorithms::detail::range_rotate rotate;
/// Moves elements towards the front: `shift_left(policy, range, distance)`; returns them.
inline constexpr algorithms::detail::shift_form<algorithms::detail::range_shift_left> shift_left;
/// Moves elements towards the end; returns them.
inline constexpr algorithms::detail::shift_form<algorithms::detail::range_shift_right> shift_right;

}  // namespace ranges
}  // namespace weft
