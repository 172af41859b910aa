// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy, copy_n and move with an execution policy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

/// Copies n elements whose iterators index.
template <class How, class In, class Out>
inline Out copy_indexed(const How& how, In in, std::size_t n, Out out) {
  static constinit cost_record costs;
  if constexpr (copies_bytes<In, Out>) {
    copy_bytes(how, std::to_address(out), std::to_address(in), n, costs);
  } else {
    const loop_shape shape{
        n, element_bytes<In> + element_bytes<Out>, elements_per_line<std::iter_value_t<Out>>};
    for_chunks(how, shape, costs, [&](std::size_t first, std::size_t last) {
      std::copy(at(in, first), at(in, last), at(out, first));
    });
  }
  return at(out, n);
}

template <class How, class In, class Out>
inline Out copy_walked(const How& how, walk<In, Out> all) {
  return for_walk(how, std::move(all), [](const In& from, const Out& to) { *to = *from; })
      .at()
      .template get<1>();
}

struct copy_call {
  template <class How, class In, class Out>
  static Out run(const How& how, In first, In last, Out out) {
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      return copy_indexed(how, first, count_of(first, last), out);
    } else if constexpr (is_walked<How, In, Out>) {
      return copy_walked(how, detail::walk(first, last, out));
    } else {
      return std::copy(first, last, out);
    }
  }
};

struct copy_n_call {
  template <class How, class In, class Size, class Out>
  static Out run(const How& how, In first, Size n, Out out) {
    if (n <= 0) {
      return out;
    }
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      return copy_indexed(how, first, static_cast<std::size_t>(n), out);
    } else if constexpr (is_walked<How, In, Out>) {
      return copy_walked(how, detail::walk(first, static_cast<std::size_t>(n), out));
    } else {
      return std::copy_n(first, n, out);
    }
  }
};

struct move_call {
  template <class How, class In, class Out>
  static Out run(const How& how, In first, In last, Out out) {
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      if constexpr (copies_bytes<In, Out>) {
        return copy_indexed(how, first, count_of(first, last), out);
      } else {
        static constinit cost_record costs;
        const std::size_t n = count_of(first, last);
        for_chunks(how,
                   loop_shape{n, element_bytes<In> + element_bytes<Out>},
                   costs,
                   [&](std::size_t from, std::size_t to) {
                     std::move(at(first, from), at(first, to), at(out, from));
                   });
        return at(out, n);
      }
    } else if constexpr (is_walked<How, In, Out>) {
      return for_walk(how,
                      detail::walk(first, last, out),
                      [](const In& from, const Out& to) { *to = std::ranges::iter_move(from); })
          .at()
          .template get<1>();
    } else {
      return std::move(first, last, out);
    }
  }
};

}  // namespace algorithms::detail

/// Copies [first, last) to the range that begins at `out` and returns its end.
///
/// Shape:   the ranges do not overlap.
/// Cost:    n assignments; reads and writes every element once; non-temporal stores if the output
///          exceeds the caches and elements are trivially copyable; no memory.
/// Threads: any; see the policy. Forward iterators share the work, too, if that pays.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/copy_test.cpp: copies_as_std_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out>
auto copy(Policy&& policy, In first, In last, Out out) -> algorithm_result_t<Policy, Out> {
  if constexpr (algorithms::detail::is_move_iterator<In>) {
    return algorithms::detail::launch<algorithms::detail::move_call>(
        policy, first.base(), last.base(), out);
  } else {
    return algorithms::detail::launch<algorithms::detail::copy_call>(policy, first, last, out);
  }
}

/// Copies the n elements from `first` on to `out` and returns the end of what was written; nothing
/// if n is not positive. See copy.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          class Size,
          std::forward_iterator Out>
auto copy_n(Policy&& policy, In first, Size n, Out out) -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::copy_n_call>(policy, first, n, out);
}

/// Moves the elements of [first, last) to the range that begins at `out` and returns its end. See
/// copy; elements that were moved from hold what their type leaves there.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out>
auto move(Policy&& policy, In first, In last, Out out) -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::move_call>(policy, first, last, out);
}

}  // namespace weft
