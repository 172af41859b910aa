// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ten algorithms that construct objects in raw memory, with an execution policy.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/loops/construct.hpp"
#include "weft/algorithms/detail/loops/fill_bytes.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

template <class How, class In, class Out>
inline Out uninitialized_copy_indexed(const How& how, In in, std::size_t n, Out out) {
  static constinit cost_record costs;
  using element_type = std::iter_value_t<Out>;
  if constexpr (copies_bytes<In, Out>) {
    copy_bytes(how, std::to_address(out), std::to_address(in), n, costs);
  } else {
    constexpr bool can_throw =
        !std::is_nothrow_constructible_v<element_type, std::iter_reference_t<In>>;
    construct_chunks<can_throw>(how,
                                loop_shape{n, element_bytes<In> + element_bytes<Out>},
                                costs,
                                out,
                                [in, out](std::size_t from, std::size_t to) {
                                  std::uninitialized_copy(at(in, from), at(in, to), at(out, from));
                                });
  }
  return at(out, n);
}

template <class How, class In, class Out>
inline Out uninitialized_move_indexed(const How& how, In in, std::size_t n, Out out) {
  if constexpr (copies_bytes<In, Out>) {
    return uninitialized_copy_indexed(how, in, n, out);
  } else {
    static constinit cost_record costs;
    constexpr bool can_throw =
        !std::is_nothrow_constructible_v<std::iter_value_t<Out>, std::iter_rvalue_reference_t<In>>;
    construct_chunks<can_throw>(how,
                                loop_shape{n, element_bytes<In> + element_bytes<Out>},
                                costs,
                                out,
                                [in, out](std::size_t from, std::size_t to) {
                                  std::uninitialized_move(at(in, from), at(in, to), at(out, from));
                                });
    return at(out, n);
  }
}

template <class How, class It, class T>
inline void uninitialized_fill_indexed(const How& how, It first, std::size_t n, const T& value) {
  static constinit cost_record costs;
  using element_type = std::iter_value_t<It>;
  if constexpr (plain_output<It> && stageable<element_type, T>) {
    fill_bytes(how, std::to_address(first), n, static_cast<element_type>(value), costs);
  } else {
    construct_chunks<!std::is_nothrow_constructible_v<element_type, const T&>>(
        how,
        loop_shape{n, element_bytes<It>},
        costs,
        first,
        [first, &value](std::size_t from, std::size_t to) {
          std::uninitialized_fill(at(first, from), at(first, to), value);
        });
  }
}

template <class How, class It>
inline void uninitialized_default_construct_indexed(const How& how, It first, std::size_t n) {
  using element_type = std::iter_value_t<It>;
  if constexpr (!std::is_trivially_default_constructible_v<element_type>) {
    static constinit cost_record costs;
    construct_chunks<!std::is_nothrow_default_constructible_v<element_type>>(
        how,
        loop_shape{n, element_bytes<It>},
        costs,
        first,
        [first](std::size_t from, std::size_t to) {
          std::uninitialized_default_construct(at(first, from), at(first, to));
        });
  }
}

template <class How, class It>
inline void uninitialized_value_construct_indexed(const How& how, It first, std::size_t n) {
  static constinit cost_record costs;
  using element_type = std::iter_value_t<It>;
  if constexpr (plain_output<It> && std::is_scalar_v<element_type>) {
    fill_bytes(how, std::to_address(first), n, element_type{}, costs);
  } else {
    construct_chunks<!std::is_nothrow_default_constructible_v<element_type>>(
        how,
        loop_shape{n, element_bytes<It>},
        costs,
        first,
        [first](std::size_t from, std::size_t to) {
          std::uninitialized_value_construct(at(first, from), at(first, to));
        });
  }
}

struct uninitialized_copy_call {
  template <class How, class In, class Out>
  static Out run(const How& how, In first, In last, Out out) {
    if constexpr (How::is_parallel && indexable<In, Out>) {
      return uninitialized_copy_indexed(how, first, count_of(first, last), out);
    } else {
      return std::uninitialized_copy(first, last, out);
    }
  }
};

struct uninitialized_copy_n_call {
  template <class How, class In, class Size, class Out>
  static Out run(const How& how, In first, Size n, Out out) {
    if (n <= 0) {
      return out;
    }
    if constexpr (How::is_parallel && indexable<In, Out>) {
      return uninitialized_copy_indexed(how, first, static_cast<std::size_t>(n), out);
    } else {
      return std::uninitialized_copy_n(first, n, out);
    }
  }
};

struct uninitialized_move_call {
  template <class How, class In, class Out>
  static Out run(const How& how, In first, In last, Out out) {
    if constexpr (How::is_parallel && indexable<In, Out>) {
      return uninitialized_move_indexed(how, first, count_of(first, last), out);
    } else {
      return std::uninitialized_move(first, last, out);
    }
  }
};

struct uninitialized_move_n_call {
  template <class How, class In, class Size, class Out>
  static std::pair<In, Out> run(const How& how, In first, Size n, Out out) {
    if (n <= 0) {
      return {first, out};
    }
    if constexpr (How::is_parallel && indexable<In, Out>) {
      const auto count = static_cast<std::size_t>(n);
      return {at(first, count), uninitialized_move_indexed(how, first, count, out)};
    } else {
      return std::uninitialized_move_n(first, n, out);
    }
  }
};

struct uninitialized_fill_call {
  template <class How, class It, class T>
  static void run(const How& how, It first, It last, const T& value) {
    if constexpr (How::is_parallel && indexable<It>) {
      uninitialized_fill_indexed(how, first, count_of(first, last), value);
    } else {
      std::uninitialized_fill(first, last, value);
    }
  }
};

struct uninitialized_fill_n_call {
  template <class How, class It, class Size, class T>
  static It run(const How& how, It first, Size n, const T& value) {
    if (n <= 0) {
      return first;
    }
    if constexpr (How::is_parallel && indexable<It>) {
      uninitialized_fill_indexed(how, first, static_cast<std::size_t>(n), value);
      return at(first, static_cast<std::size_t>(n));
    } else {
      return std::uninitialized_fill_n(first, n, value);
    }
  }
};

struct uninitialized_default_construct_call {
  template <class How, class It>
  static void run(const How& how, It first, It last) {
    if constexpr (How::is_parallel && indexable<It>) {
      uninitialized_default_construct_indexed(how, first, count_of(first, last));
    } else {
      std::uninitialized_default_construct(first, last);
    }
  }
};

struct uninitialized_default_construct_n_call {
  template <class How, class It, class Size>
  static It run(const How& how, It first, Size n) {
    if (n <= 0) {
      return first;
    }
    if constexpr (How::is_parallel && indexable<It>) {
      uninitialized_default_construct_indexed(how, first, static_cast<std::size_t>(n));
      return at(first, static_cast<std::size_t>(n));
    } else {
      return std::uninitialized_default_construct_n(first, n);
    }
  }
};

struct uninitialized_value_construct_call {
  template <class How, class It>
  static void run(const How& how, It first, It last) {
    if constexpr (How::is_parallel && indexable<It>) {
      uninitialized_value_construct_indexed(how, first, count_of(first, last));
    } else {
      std::uninitialized_value_construct(first, last);
    }
  }
};

struct uninitialized_value_construct_n_call {
  template <class How, class It, class Size>
  static It run(const How& how, It first, Size n) {
    if (n <= 0) {
      return first;
    }
    if constexpr (How::is_parallel && indexable<It>) {
      uninitialized_value_construct_indexed(how, first, static_cast<std::size_t>(n));
      return at(first, static_cast<std::size_t>(n));
    } else {
      return std::uninitialized_value_construct_n(first, n);
    }
  }
};

}  // namespace algorithms::detail

/// Constructs in the raw memory at `out` a copy of every element of [first, last) and returns the
/// end of what was constructed.
///
/// Shape:   the ranges do not overlap.
/// Cost:    n constructors; reads and writes every element once; non-temporal stores if the output
///          exceeds the caches and elements are trivially copyable. No memory, but some pairs of
///          indices per worker for types whose constructor may throw; without them the caller works
///          alone.
/// Threads: any; see the policy. With forward iterators the calling thread works alone.
/// Errors:  the first exception is rethrown after all that was constructed has been destroyed.
/// Example: tests/algorithms/uninitialized_test.cpp: constructs_as_std_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out>
  requires std::constructible_from<std::iter_value_t<Out>, std::iter_reference_t<In>>
auto uninitialized_copy(Policy&& policy, In first, In last, Out out)
    -> algorithm_result_t<Policy, Out> {
  if constexpr (algorithms::detail::is_move_iterator<In>) {
    return algorithms::detail::launch<algorithms::detail::uninitialized_move_call>(
        policy, first.base(), last.base(), out);
  } else {
    return algorithms::detail::launch<algorithms::detail::uninitialized_copy_call>(
        policy, first, last, out);
  }
}

/// Constructs copies of the n elements from `first` on; nothing if n is not positive. See
/// uninitialized_copy.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          class Size,
          std::forward_iterator Out>
  requires std::constructible_from<std::iter_value_t<Out>, std::iter_reference_t<In>>
auto uninitialized_copy_n(Policy&& policy, In first, Size n, Out out)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_copy_n_call>(
      policy, first, n, out);
}

/// Constructs in the raw memory at `out` objects moved from the elements of [first, last) and
/// returns the end of what was constructed. See uninitialized_copy; after an exception, elements
/// may have been moved from.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out>
  requires std::constructible_from<std::iter_value_t<Out>, std::iter_rvalue_reference_t<In>>
auto uninitialized_move(Policy&& policy, In first, In last, Out out)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_move_call>(
      policy, first, last, out);
}

/// Constructs objects moved from the n elements from `first` on and returns the ends of both
/// ranges; nothing is done if n is not positive. See uninitialized_move.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          class Size,
          std::forward_iterator Out>
  requires std::constructible_from<std::iter_value_t<Out>, std::iter_rvalue_reference_t<In>>
auto uninitialized_move_n(Policy&& policy, In first, Size n, Out out)
    -> algorithm_result_t<Policy, std::pair<In, Out>> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_move_n_call>(
      policy, first, n, out);
}

/// Constructs a copy of `value` in every place of the raw memory [first, last). See
/// uninitialized_copy.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class T = std::iter_value_t<It>>
  requires std::constructible_from<std::iter_value_t<It>, const T&>
auto uninitialized_fill(Policy&& policy, It first, It last, const T& value)
    -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_fill_call>(
      policy, first, last, value);
}

/// Constructs n copies of `value` from `first` on and returns their end; nothing if n is not
/// positive. See uninitialized_copy.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          class Size,
          class T = std::iter_value_t<It>>
  requires std::constructible_from<std::iter_value_t<It>, const T&>
auto uninitialized_fill_n(Policy&& policy, It first, Size n, const T& value)
    -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_fill_n_call>(
      policy, first, n, value);
}

/// Default-initialises objects in the raw memory [first, last): nothing for types such as double.
/// See uninitialized_copy.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires std::default_initializable<std::iter_value_t<It>>
auto uninitialized_default_construct(Policy&& policy, It first, It last)
    -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_default_construct_call>(
      policy, first, last);
}

/// Default-initialises n objects from `first` on and returns their end; nothing if n is not
/// positive. See uninitialized_default_construct.
template <execution_policy Policy, algorithms::detail::multipass_iterator It, class Size>
  requires std::default_initializable<std::iter_value_t<It>>
auto uninitialized_default_construct_n(Policy&& policy, It first, Size n)
    -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_default_construct_n_call>(
      policy, first, n);
}

/// Value-initialises objects in the raw memory [first, last): numbers become zero. See
/// uninitialized_copy.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires std::default_initializable<std::iter_value_t<It>>
auto uninitialized_value_construct(Policy&& policy, It first, It last)
    -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_value_construct_call>(
      policy, first, last);
}

/// Value-initialises n objects from `first` on and returns their end; nothing if n is not positive.
/// See uninitialized_value_construct.
template <execution_policy Policy, algorithms::detail::multipass_iterator It, class Size>
  requires std::default_initializable<std::iter_value_t<It>>
auto uninitialized_value_construct_n(Policy&& policy, It first, Size n)
    -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::uninitialized_value_construct_n_call>(
      policy, first, n);
}

}  // namespace weft
