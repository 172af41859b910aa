// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parallel algorithms.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <hpx/compat/algorithm_names.hpp>  // IWYU pragma: export: made by CMake
#include <hpx/compat/ranges_algorithm.hpp>
#include <hpx/config.hpp>
#include <hpx/execution.hpp>
#include <hpx/future.hpp>  // IWYU pragma: export: what algorithms with a task policy return

#include "weft/algorithms.hpp"
#include "weft/algorithms/ranges.hpp"

namespace hpx {

using weft::contains;
using weft::ends_with;
using weft::starts_with;

template <std::forward_iterator It1, std::forward_iterator It2>
bool starts_with(It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::starts_with(weft::seq, first1, last1, first2, last2);
}
template <std::forward_iterator It1, std::forward_iterator It2>
bool ends_with(It1 first1, It1 last1, It2 first2, It2 last2) {
  return weft::ends_with(weft::seq, first1, last1, first2, last2);
}

namespace experimental {

using weft::induction;
using weft::reduce_by_key;
using weft::reduction;
using weft::reduction_bit_and;
using weft::reduction_bit_or;
using weft::reduction_bit_xor;
using weft::reduction_max;
using weft::reduction_min;
using weft::reduction_multiplies;
using weft::reduction_plus;
using weft::sort_by_key;

/// The type of `last` is that of the indices.
template <weft::execution_policy Policy, class I, class... Arguments>
  requires(sizeof...(Arguments) > 0)
auto for_loop(Policy&& policy, std::type_identity_t<I> first, I last, Arguments&&... arguments) {
  return weft::for_loop(
      std::forward<Policy>(policy), first, last, std::forward<Arguments>(arguments)...);
}
template <class I, class... Arguments>
  requires(sizeof...(Arguments) > 0 && !weft::execution_policy<I>)
void for_loop(std::type_identity_t<I> first, I last, Arguments&&... arguments) {
  weft::for_loop(weft::seq, first, last, std::forward<Arguments>(arguments)...);
}
template <weft::execution_policy Policy, class I, std::integral Stride, class... Arguments>
  requires(sizeof...(Arguments) > 0)
auto for_loop_strided(Policy&& policy,
                      std::type_identity_t<I> first,
                      I last,
                      Stride stride,
                      Arguments&&... arguments) {
  return weft::for_loop_strided(std::forward<Policy>(policy),
                                first,
                                last,
                                static_cast<std::make_signed_t<Stride>>(stride),
                                std::forward<Arguments>(arguments)...);
}
template <weft::execution_policy Policy, class I, std::integral Size, class... Arguments>
  requires(sizeof...(Arguments) > 0)
auto for_loop_n(Policy&& policy, I first, Size size, Arguments&&... arguments) {
  return weft::for_loop(std::forward<Policy>(policy),
                        first,
                        static_cast<I>(first + static_cast<I>(size)),
                        std::forward<Arguments>(arguments)...);
}

}  // namespace experimental

namespace ranges {

inline constexpr ranges_algorithm<weft::ranges::max, std::ranges::max> max;
inline constexpr ranges_algorithm<weft::ranges::min, std::ranges::min> min;
inline constexpr ranges_algorithm<weft::ranges::minmax, std::ranges::minmax> minmax;

}  // namespace ranges
}  // namespace hpx
