// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Callables of range algorithms joined with their projections, for algorithms that know no
// projections.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

namespace weft::algorithms::detail {

/// `f(proj(x)...)`.
template <class F, class Proj>
struct projected_call {
  [[no_unique_address]] F f;
  [[no_unique_address]] Proj proj;

  template <class... Args>
    requires std::is_invocable_v<F&, std::invoke_result_t<Proj&, Args>...>
  constexpr decltype(auto) operator()(Args&&... args) {
    return std::invoke(f, std::invoke(proj, std::forward<Args>(args))...);
  }
  template <class... Args>
    requires std::is_invocable_v<const F&, std::invoke_result_t<const Proj&, Args>...>
  constexpr decltype(auto) operator()(Args&&... args) const {
    return std::invoke(f, std::invoke(proj, std::forward<Args>(args))...);
  }
};

/// `f(left(x), right(y))`.
template <class F, class Left, class Right>
struct projected_pair_call {
  [[no_unique_address]] F f;
  [[no_unique_address]] Left left;
  [[no_unique_address]] Right right;

  template <class X, class Y>
    requires std::
        is_invocable_v<F&, std::invoke_result_t<Left&, X>, std::invoke_result_t<Right&, Y>>
      constexpr decltype(auto) operator()(X&& x, Y&& y) {
    return std::invoke(
        f, std::invoke(left, std::forward<X>(x)), std::invoke(right, std::forward<Y>(y)));
  }
  template <class X, class Y>
    requires std::is_invocable_v<const F&,
                                 std::invoke_result_t<const Left&, X>,
                                 std::invoke_result_t<const Right&, Y>>
  constexpr decltype(auto) operator()(X&& x, Y&& y) const {
    return std::invoke(
        f, std::invoke(left, std::forward<X>(x)), std::invoke(right, std::forward<Y>(y)));
  }
};

/// `f` as algorithms know it: comparators of std::ranges as those of std, for which there are
/// vectorised paths, and pointers to members as callables.
template <class F>
constexpr auto plain_call(F f) {
  if constexpr (std::is_same_v<F, std::ranges::less>) {
    return std::less<>();
  } else if constexpr (std::is_same_v<F, std::ranges::greater>) {
    return std::greater<>();
  } else if constexpr (std::is_same_v<F, std::ranges::equal_to>) {
    return std::equal_to<>();
  } else if constexpr (std::is_member_pointer_v<F>) {
    return std::mem_fn(f);
  } else {
    return f;
  }
}

/// Whether two projections are known to be the same.
template <class Left, class Right>
constexpr bool are_same_projections(const Left& left, const Right& right) {
  if constexpr (std::is_same_v<Left, Right> && std::is_empty_v<Left>) {
    return true;
  } else if constexpr (std::is_same_v<Left, Right> && std::equality_comparable<Left>) {
    return left == right;
  } else {
    return false;
  }
}

template <class F, class Proj>
constexpr auto project(F f, Proj proj) {
  if constexpr (std::is_same_v<Proj, std::identity>) {
    return plain_call(std::move(f));
  } else {
    return projected_call<F, Proj>{std::move(f), std::move(proj)};
  }
}

template <class F, class Left, class Right>
constexpr auto project(F f, Left left, Right right) {
  if constexpr (std::is_same_v<Left, std::identity> && std::is_same_v<Right, std::identity>) {
    return plain_call(std::move(f));
  } else {
    return projected_pair_call<F, Left, Right>{std::move(f), std::move(left), std::move(right)};
  }
}

}  // namespace weft::algorithms::detail
