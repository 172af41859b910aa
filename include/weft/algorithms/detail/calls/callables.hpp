// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What algorithms ask of callables and of values: that they fit the elements.
#pragma once

#include <concepts>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/pack_policy.hpp"

namespace weft::algorithms::detail {

/// Takes one element of each range, as `f(x)`: algorithms do not call pointers to members.
template <class F, class... It>
concept callable_on = requires(F& f, It&... it) { f(*it...); };

/// The same, and says yes or no.
template <class F, class... It>
concept predicate_on = requires(F& f, It&... it) { static_cast<bool>(f(*it...)); };

/// The same, and makes what an element of `Out` can be assigned.
template <class F, class Out, class... It>
concept maker_on = requires(F& f, Out& out, It&... it) { *out = f(*it...); };

/// Joins a value and an element to another such value.
template <class Op, class T, class It>
concept operation_on = requires(Op& op, T& x, It& it) { static_cast<T>(op(std::move(x), *it)); };

/// Joins values and what `X` refers to, in any mixture, to other such values: what may be
/// regrouped.
template <class Op, class T, class X>
concept regroups = requires(Op& op, T (*value)(), X (*next)()) {
  static_cast<T>(op(value(), next()));
  static_cast<T>(op(next(), next()));
  static_cast<T>(op(value(), value()));
};
template <class Op, class T, class It>
concept regroups_on = regroups<Op, T, std::iter_reference_t<It>>;

// A callable that `simd` and `par_simd` pass packs to may take packs only.
template <class F, class Policy, class... It>
concept callable_for = pack_policy<Policy> || callable_on<F, It...>;
template <class F, class Policy, class... It>
concept predicate_for = pack_policy<Policy> || predicate_on<F, It...>;
template <class F, class Policy, class Out, class... It>
concept maker_for = pack_policy<Policy> || maker_on<F, Out, It...>;
template <class Op, class Policy, class T, class It>
concept operation_for = pack_policy<Policy> || regroups_on<Op, T, It>;

/// What `F` makes of one element of each range.
template <class F, class... It>
using result_on = decltype(std::declval<F&>()(*std::declval<It&>()...));

/// Joins values and what `F` makes of one element of each range, in any mixture, to other such
/// values.
template <class Op, class Policy, class T, class F, class... It>
concept operation_on_results_for = pack_policy<Policy> || regroups<Op, T, result_on<F, It...>>;

/// Can be asked whether an element equals it.
template <class T, class It>
concept value_for = requires(It& it, const T& value) {
  { *it == value } -> std::convertible_to<bool>;
};

/// Can be assigned to an element.
template <class T, class It>
concept assignable_for = requires(It& it, const T& value) { *it = value; };

/// Refers to what can be assigned an element.
template <class Out, class In>
concept takes_elements_of = requires(Out& out, In& in) { *out = *in; };

/// Hands constants as variables to a comparison that takes its arguments so; it changes neither.
template <class Compare>
class constants_as_variables {
 public:
  explicit constants_as_variables(Compare comp) : comp_(std::move(comp)) {}

  template <class A, class B>
    requires std::is_invocable_v<Compare&, A&, B&>
  decltype(auto) operator()(const A& a, const B& b) {
    return comp_(const_cast<A&>(a), const_cast<B&>(b));
  }
  template <class A, class B>
    requires std::is_invocable_v<const Compare&, A&, B&>
  decltype(auto) operator()(const A& a, const B& b) const {
    return comp_(const_cast<A&>(a), const_cast<B&>(b));
  }

 private:
  [[no_unique_address]] Compare comp_;
};

/// `comp` for an algorithm that compares constants, too: elements beside copies of others. The
/// standard asks that it takes elements, no more.
template <class A, class B = A, class Compare>
[[nodiscard]] constexpr auto comparing_constants(Compare comp) {
  if constexpr (std::is_lvalue_reference_v<std::iter_reference_t<A>> &&
                std::is_lvalue_reference_v<std::iter_reference_t<B>> &&
                !predicate_on<Compare, const std::iter_value_t<A>*, const std::iter_value_t<B>*>) {
    return constants_as_variables<Compare>(std::move(comp));
  } else {
    return comp;
  }
}

}  // namespace weft::algorithms::detail
