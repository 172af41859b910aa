// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of ranges: find and its family, counts, and whether all, any or none are so.
#pragma once

#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/adjacent_find.hpp"
#include "weft/algorithms/all_of.hpp"
#include "weft/algorithms/contains.hpp"
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/find_first_of.hpp"
#include "weft/algorithms/find_last.hpp"

namespace weft {

namespace algorithms::detail {

struct range_find_if : gives_iterator, reads {
  static auto run(const auto& how, auto in, auto pred) {
    return weft::find_if(how, in.first, in.last, std::move(pred));
  }
};
struct range_find_if_not : gives_iterator, reads {
  static auto run(const auto& how, auto in, auto pred) {
    return weft::find_if_not(how, in.first, in.last, std::move(pred));
  }
};
struct range_find : gives_iterator, reads {
  static auto run(const auto& how, auto in, const auto& value) {
    return weft::find(how, in.first, in.last, value);
  }
  static auto run_if(const auto& how, auto in, auto pred) {
    return weft::find_if(how, in.first, in.last, std::move(pred));
  }
};

struct range_find_last_if : gives_subrange, reads {
  static auto run(const auto& how, auto in, auto pred) {
    return std::ranges::subrange(weft::find_last_if(how, in.first, in.last, std::move(pred)),
                                 in.last);
  }
};
struct range_find_last_if_not : gives_subrange, reads {
  static auto run(const auto& how, auto in, auto pred) {
    return std::ranges::subrange(weft::find_last_if_not(how, in.first, in.last, std::move(pred)),
                                 in.last);
  }
};
struct range_find_last : gives_subrange, reads {
  static auto run(const auto& how, auto in, const auto& value) {
    return std::ranges::subrange(weft::find_last(how, in.first, in.last, value), in.last);
  }
  static auto run_if(const auto& how, auto in, auto pred) {
    return range_find_last_if::run(how, in, std::move(pred));
  }
};

struct range_all_of : gives<bool>, reads {
  static bool run(const auto& how, auto in, auto pred) {
    return weft::all_of(how, in.first, in.last, std::move(pred));
  }
};
struct range_any_of : gives<bool>, reads {
  static bool run(const auto& how, auto in, auto pred) {
    return weft::any_of(how, in.first, in.last, std::move(pred));
  }
};
struct range_none_of : gives<bool>, reads {
  static bool run(const auto& how, auto in, auto pred) {
    return weft::none_of(how, in.first, in.last, std::move(pred));
  }
};

struct gives_difference {
  template <class Range>
  using result = std::ranges::range_difference_t<Range>;
};
struct range_count_if : gives_difference, reads {
  static auto run(const auto& how, auto in, auto pred) {
    return weft::count_if(how, in.first, in.last, std::move(pred));
  }
};
struct range_count : gives_difference, reads {
  static auto run(const auto& how, auto in, const auto& value) {
    return weft::count(how, in.first, in.last, value);
  }
  static auto run_if(const auto& how, auto in, auto pred) {
    return weft::count_if(how, in.first, in.last, std::move(pred));
  }
};

struct range_contains : gives<bool>, reads {
  static bool run(const auto& how, auto in, const auto& value) {
    return weft::contains(how, in.first, in.last, value);
  }
  static bool run_if(const auto& how, auto in, auto pred) {
    return weft::any_of(how, in.first, in.last, std::move(pred));
  }
};

struct range_adjacent_find : gives_iterator {
  using default_call = std::ranges::equal_to;
  template <class It, class Comp, class Proj>
  static constexpr bool allows =
      std::indirect_binary_predicate<Comp, std::projected<It, Proj>, std::projected<It, Proj>>;
  static auto run(const auto& how, auto in, auto equal) {
    return weft::adjacent_find(how, in.first, in.last, std::move(equal));
  }
};

struct range_find_first_of {
  static constexpr bool compares_both_ways = false;
  using default_call = std::ranges::equal_to;
  template <class Range, class Wanted>
  using result = std::ranges::borrowed_iterator_t<Range>;
  template <class It, class Wanted, class Comp, class Proj, class WantedProj>
  static constexpr bool allows = std::indirectly_comparable<It, Wanted, Comp, Proj, WantedProj>;
  static auto run(const auto& how, auto in, auto wanted, auto equal) {
    return weft::find_first_of(how, in.first, in.last, wanted.first, wanted.last, std::move(equal));
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// The first element whose projection equals a value: `find(policy, range, value, proj = {})`.
/// Example: tests/algorithms/ranges_read_test.cpp: finds_by_projection.
inline constexpr algorithms::detail::value_form<algorithms::detail::range_find> find;
/// The first element for which a predicate is true: `find_if(policy, range, pred, proj = {})`.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_find_if> find_if;
/// The first element for which a predicate is false.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_find_if_not>
    find_if_not;

/// From the last element whose projection equals a value to the end; empty: there is none.
inline constexpr algorithms::detail::value_form<algorithms::detail::range_find_last> find_last;
/// From the last element for which a predicate is true to the end.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_find_last_if>
    find_last_if;
/// From the last element for which a predicate is false to the end.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_find_last_if_not>
    find_last_if_not;

/// Whether a predicate is true for all elements: `all_of(policy, range, pred, proj = {})`.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_all_of> all_of;
/// Whether a predicate is true for an element.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_any_of> any_of;
/// Whether a predicate is true for no element.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_none_of> none_of;

/// How many elements' projections equal a value: `count(policy, range, value, proj = {})`.
inline constexpr algorithms::detail::value_form<algorithms::detail::range_count> count;
/// For how many elements a predicate is true.
inline constexpr algorithms::detail::predicate_form<algorithms::detail::range_count_if> count_if;
/// Whether an element's projection equals a value.
inline constexpr algorithms::detail::value_form<algorithms::detail::range_contains> contains;

/// The first of two neighbours that are equal: `adjacent_find(policy, range, equal = {}, proj =
/// {})`.
inline constexpr algorithms::detail::comparison_form<algorithms::detail::range_adjacent_find>
    adjacent_find;
/// The first element that equals one of another range:
/// `find_first_of(policy, range, wanted, equal = {}, proj = {}, wanted_proj = {})`.
inline constexpr algorithms::detail::two_range_form<algorithms::detail::range_find_first_of>
    find_first_of;

}  // namespace ranges
}  // namespace weft
