// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform of one and of two ranges with an execution policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

struct transform_call {
  template <class How, class In, class Out, class F>
  static Out run(const How& how, In first, In last, Out out, F&& f) {
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      static constinit cost_record costs;
      const std::size_t n = count_of(first, last);
      map_into(how,
               n,
               element_bytes<In>,
               costs,
               out,
               [in = unwrapped(first), op = held<std::iter_reference_t<In>>(f)](
                   std::size_t i) -> decltype(auto) { return op(element(in, i)); });
      return at(out, n);
    } else if constexpr (is_walked<How, In, Out>) {
      return for_walk(how,
                      detail::walk(first, last, out),
                      [&f](const In& from, const Out& to) { *to = f(*from); })
          .at()
          .template get<1>();
    } else {
      return std::transform(first, last, out, std::ref(f));
    }
  }
};

struct transform_two_call {
  template <class How, class In1, class In2, class Out, class F>
  static Out run(const How& how, In1 first, In1 last, In2 second, Out out, F&& f) {
    if constexpr (in_any_order<How> && indexable<In1, In2> && indexable_output<Out>) {
      static constinit cost_record costs;
      const std::size_t n = count_of(first, last);
      map_into(how,
               n,
               element_bytes<In1> + element_bytes<In2>,
               costs,
               out,
               [in1 = unwrapped(first),
                in2 = unwrapped(second),
                op = held<std::iter_reference_t<In1>, std::iter_reference_t<In2>>(f)](std::size_t i)
                   -> decltype(auto) { return op(element(in1, i), element(in2, i)); });
      return at(out, n);
    } else if constexpr (is_walked<How, In1, In2, Out>) {
      return for_walk(how,
                      detail::walk(first, last, second, out),
                      [&f](const In1& a, const In2& b, const Out& to) { *to = f(*a, *b); })
          .at()
          .template get<2>();
    } else {
      return std::transform(first, last, second, out, std::ref(f));
    }
  }
};

}  // namespace algorithms::detail

/// Writes `f(x)` for every x of [first, last) to the range that begins at `out` and returns its
/// end.
///
/// Shape:   `out` may be `first`; otherwise the ranges do not overlap.
/// Cost:    n calls; reads and writes every element once; non-temporal stores if the output exceeds
///          the caches and its elements are trivially copyable; no memory.
/// Threads: any; `f` is called by several at once. Forward iterators share the work, too, if that
///          pays.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/transform_test.cpp: transforms_as_std_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out,
          algorithms::detail::maker_for<Policy, Out, In> F>
auto transform(Policy&& policy, In first, In last, Out out, F f)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::transform_call>(
      policy, first, last, out, std::move(f));
}

/// Writes `f(x, y)` for each pair of elements of two ranges to `out` and returns the end of the
/// output.
///
/// The ranges are [first, last) and one of equal size that begins at `second`. See the form for one
/// range; `out` may be the begin of either.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In1,
          algorithms::detail::multipass_iterator In2,
          std::forward_iterator Out,
          algorithms::detail::maker_for<Policy, Out, In1, In2> F>
auto transform(Policy&& policy, In1 first, In1 last, In2 second, Out out, F f)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::transform_two_call>(
      policy, first, last, second, out, std::move(f));
}

}  // namespace weft
