// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// adjacent_difference with an execution policy.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
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

struct adjacent_difference_call {
  template <class How, class In, class Out, class F>
  static Out run(const How& how, In first, In last, Out out, F&& f) {
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      static constinit cost_record costs;
      if (first == last) {
        return out;
      }
      const std::size_t n = count_of(first, last);
      *out = *first;
      if (may_be_short<How> && n == 1) {
        return at(out, 1);
      }
      map_into(how,
               n - 1,
               element_bytes<In>,
               costs,
               at(out, 1),
               [in = unwrapped(first),
                op = held<std::iter_reference_t<In>, std::iter_reference_t<In>>(f)](std::size_t i)
                   -> decltype(auto) { return op(element(in, i + 1), element(in, i)); });
      return at(out, n);
    } else if constexpr (is_walked<How, In, Out>) {
      if (first == last) {
        return out;
      }
      *out = *first;
      const auto subtract = [&f](const In& next, const In& it, const Out& to) {
        *to = f(*next, *it);
      };
      return for_walk(how, detail::walk(std::next(first), last, first, std::next(out)), subtract)
          .at()
          .template get<2>();
    } else {
      // The standard's form without a policy calls `f` with copies, which it need not take.
      if (first == last) {
        return out;
      }
      *out = *first;
      ++out;
      for (In next = std::next(first); next != last; first = next, ++next, ++out) {
        *out = f(*next, *first);
      }
      return out;
    }
  }
};

}  // namespace algorithms::detail

/// Writes the first element of [first, last) and then `f(x, predecessor of x)` for every other x to
/// the range that begins at `out`, and returns its end.
///
/// Shape:   the ranges do not overlap, whatever the policy.
/// Cost:    n - 1 calls; reads and writes every element once; no memory. Uses non-temporal stores
///          if the output exceeds the caches and its elements are trivially copyable.
/// Threads: any; `f` is called by several at once. Forward iterators share the work, too, if that
///          pays.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/transform_test.cpp: differences_of_neighbours.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out,
          algorithms::detail::maker_on<Out, In, In> F = std::minus<>>
  requires algorithms::detail::takes_elements_of<Out, In>
auto adjacent_difference(Policy&& policy, In first, In last, Out out, F f = {})
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::adjacent_difference_call>(
      policy, first, last, out, std::move(f));
}

}  // namespace weft
