// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges and set operations of ranges whose elements are projected in two ways, or whose output has
// room for a part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/range_call.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

template <class A, class B, class Output>
using merged = std::ranges::in_in_out_result<A, B, Output>;

/// A comparison of elements of two ranges, each with its projection.
template <class Comp, class ProjA, class ProjB>
struct two_way_order {
  [[no_unique_address]] Comp comp;
  [[no_unique_address]] ProjA proj_a;
  [[no_unique_address]] ProjB proj_b;

  /// One comparison serves all pairs of elements: never, always, or as `is_one_way` says.
  static constexpr bool may_be_one_way = std::is_same_v<ProjA, ProjB>;
  static constexpr bool must_be_one_way = may_be_one_way && std::is_empty_v<ProjA>;
  [[nodiscard]] constexpr bool is_one_way() const { return are_same_projections(proj_a, proj_b); }

  template <class X, class Y>
  bool a_before_b(X&& x, Y&& y) {
    return std::invoke(
        comp, std::invoke(proj_a, std::forward<X>(x)), std::invoke(proj_b, std::forward<Y>(y)));
  }
  template <class X, class Y>
  bool b_before_a(Y&& y, X&& x) {
    return std::invoke(
        comp, std::invoke(proj_b, std::forward<Y>(y)), std::invoke(proj_a, std::forward<X>(x)));
  }
};

/// How many of the first `n` elements of the merged ranges come from `a`.
template <class A, class B, class Order>
std::ptrdiff_t split_of_merge(const bounds<A>& a,
                              const bounds<B>& b,
                              std::ptrdiff_t n,
                              Order order) {
  std::ptrdiff_t low = std::max<std::ptrdiff_t>(0, n - b.size());
  std::ptrdiff_t high = std::min<std::ptrdiff_t>(n, a.size());
  while (low < high) {
    const std::ptrdiff_t middle = low + (high - low) / 2;
    if (order.b_before_a(*std::ranges::next(b.first, n - middle - 1),
                         *std::ranges::next(a.first, middle))) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Merges with two projections: every chunk of the output finds its parts of `a` and `b`.
template <class How, class A, class B, class Output, class Order>
Output merge_two_ways(const How& how, bounds<A> a, bounds<B> b, Output out, Order order) {
  const auto merge = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
    const std::ptrdiff_t a_first = split_of_merge(a, b, first, order);
    const std::ptrdiff_t a_last = split_of_merge(a, b, last, order);
    return std::ranges::merge(std::ranges::next(a.first, a_first),
                              std::ranges::next(a.first, a_last),
                              std::ranges::next(b.first, first - a_first),
                              std::ranges::next(b.first, last - a_last),
                              std::ranges::next(out, first),
                              order.comp,
                              order.proj_a,
                              order.proj_b)
        .out;
  };
  const std::ptrdiff_t n = a.size() + b.size();
  if constexpr (How::is_parallel && indexed_iterator<A> && indexed_iterator<B> &&
                indexed_iterator<Output>) {
    static constinit cost_record costs;
    for_chunks(how,
               {.n = static_cast<std::size_t>(n),
                .bytes_per_element = 2 * sizeof(std::iter_value_t<Output>)},
               costs,
               [&merge](std::size_t first, std::size_t last) {
                 static_cast<void>(
                     merge(static_cast<std::ptrdiff_t>(first), static_cast<std::ptrdiff_t>(last)));
               });
    return out + n;
  } else {
    return merge(0, n);
  }
}

/// Which elements a set operation writes.
struct set_choice {
  bool only_a;
  bool only_b;
  bool both;

  /// At most this many are written.
  [[nodiscard]] constexpr std::ptrdiff_t limit(std::ptrdiff_t size_a, std::ptrdiff_t size_b) const {
    if (only_a) {
      return only_b ? size_a + size_b : size_a;
    }
    return std::min(size_a, size_b);
  }
};

/// A set operation element by element, up to the first that has no room.
template <class A, class B, class Output, class Order>
merged<A, B, Output> set_operation_into_room(
    set_choice choice, bounds<A> a, bounds<B> b, sink<Output> out, Order order) {
  const auto put = [&out](bool is_chosen, const auto& it) {
    if (!is_chosen) {
      return true;
    }
    if (out.room == 0) {
      return false;
    }
    *out.first = *it;
    ++out.first;
    --out.room;
    return true;
  };
  const auto ended = [&] { return merged<A, B, Output>{a.first, b.first, out.first}; };
  while (a.first != a.last && b.first != b.last) {
    const bool is_a = order.a_before_b(*a.first, *b.first);
    const bool is_b = !is_a && order.b_before_a(*b.first, *a.first);
    if (!(is_b ? put(choice.only_b, b.first) : put(is_a ? choice.only_a : choice.both, a.first))) {
      return ended();
    }
    if (!is_b) {
      ++a.first;
    }
    if (!is_a) {
      ++b.first;
    }
  }
  for (; a.first != a.last; ++a.first) {
    if (!put(choice.only_a, a.first)) {
      return ended();
    }
  }
  for (; b.first != b.last; ++b.first) {
    if (!put(choice.only_b, b.first)) {
      return ended();
    }
  }
  return ended();
}

}  // namespace weft::algorithms::detail
