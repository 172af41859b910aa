// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of values as functions of ready futures.
#pragma once

#include <concepts>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/detail/futures/gate.hpp"

namespace weft {

namespace tasks::detail {

template <class Range>
auto unwrap_range(Range& futures) {
  using value_type = typename std::ranges::range_value_t<Range>::value_type;
  if constexpr (std::is_void_v<value_type>) {
    for (auto& each : futures) {
      each.get();
    }
    return std::tuple<>();
  } else {
    std::vector<std::decay_t<value_type>> values;
    if constexpr (std::ranges::sized_range<Range>) {
      values.reserve(std::ranges::size(futures));
    }
    for (auto& each : futures) {
      values.push_back(each.get());
    }
    return std::tuple<std::vector<std::decay_t<value_type>>>(std::move(values));
  }
}

/// What `arg` unwraps to, as a tuple of one thing; of none for a future of nothing.
template <class Arg>
auto unwrap_one(Arg& arg) {
  if constexpr (any_future<Arg>) {
    using value_type = decltype(arg.get());
    if constexpr (std::is_void_v<value_type>) {
      arg.get();
      return std::tuple<>();
    } else {
      return std::tuple<value_type>(arg.get());
    }
  } else if constexpr (is_reference_to_futures<Arg>) {
    if constexpr (count_of_futures<Arg>() == 0) {
      return std::tuple<Arg>(arg);
    } else {
      return unwrap_one(arg.get());
    }
  } else if constexpr (range_of_futures<Arg>) {
    return unwrap_range(arg);
  } else if constexpr (tuple_of_futures<Arg>) {
    auto values =
        std::apply([](auto&... each) { return std::tuple_cat(unwrap_one(each)...); }, arg);
    return std::tuple<decltype(values)>(std::move(values));
  } else {
    return std::tuple<Arg>(std::move(arg));
  }
}

template <class F>
struct unwrapping_call {
  template <class... Args>
    requires requires(F& f, Args&... args) { std::apply(f, std::tuple_cat(unwrap_one(args)...)); }
  decltype(auto) operator()(Args... args) {
    return std::apply(f, std::tuple_cat(unwrap_one(args)...));
  }

  F f;
};

}  // namespace tasks::detail

/// A function that takes ready futures and calls `f` with their values.
///
/// A future of nothing vanishes; a range or tuple of futures becomes a vector or tuple of values;
/// anything else is passed on. One level is unwrapped: a future of futures becomes futures.
/// Errors:  an exception in a future is rethrown, and `f` not called.
/// Example: tests/tasks/dataflow_test.cpp: unwrapping_passes_values.
template <class F>
auto unwrapping(F&& f) {
  return tasks::detail::unwrapping_call<std::decay_t<F>>{std::forward<F>(f)};
}

}  // namespace weft
