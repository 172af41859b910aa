// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One future of several things as several futures.
#pragma once

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/promise.hpp"

namespace weft {

namespace tasks::detail {

template <class Promises, class Raised>
void fail_all(Promises& promises, const Raised& raised) {
  std::apply([&](auto&... each) { (each.set_exception(raised), ...); }, promises);
}

template <class Tuple, std::size_t... i>
auto split_tuple(future<Tuple> whole, std::index_sequence<i...> /*indices*/) {
  std::tuple<promise<std::tuple_element_t<i, Tuple>>...> promises;
  std::tuple<future<std::tuple_element_t<i, Tuple>>...> parts(
      std::get<i>(promises).get_future()...);
  static_cast<void>(
      whole.then(launch::sync, [promises = std::move(promises)](future<Tuple> ready) mutable {
        try {
          std::apply(
              [&](auto&&... values) {
                (std::get<i>(promises).set_value(std::forward<decltype(values)>(values)), ...);
              },
              ready.get());
        } catch (...) {
          fail_all(promises, std::current_exception());
        }
      }));
  return parts;
}

}  // namespace tasks::detail

/// A tuple of futures for the elements of a tuple, pair or array.
///
/// Errors:  `future_error` (no_state) if `whole` is not valid; its exception is in every part.
/// Example: tests/tasks/when_all_test.cpp: split_future_gives_the_parts.
template <class Tuple>
  requires requires { std::tuple_size<Tuple>::value; }
auto split_future(future<Tuple> whole) {
  return tasks::detail::split_tuple(std::move(whole),
                                    std::make_index_sequence<std::tuple_size_v<Tuple>>());
}

/// Futures for the first `num_parts` elements of a vector.
/// Errors:  as above; parts that the vector turns out not to have fail with std::out_of_range.
template <class T>
std::vector<future<T>> split_future(future<std::vector<T>> whole, std::size_t num_parts) {
  std::vector<promise<T>> promises(num_parts);
  std::vector<future<T>> parts;
  parts.reserve(num_parts);
  for (promise<T>& each : promises) {
    parts.push_back(each.get_future());
  }
  static_cast<void>(whole.then(
      launch::sync, [promises = std::move(promises)](future<std::vector<T>> ready) mutable {
        std::size_t num_set = 0;
        try {
          std::vector<T> values = ready.get();
          while (num_set < promises.size()) {
            T value = std::move(values.at(num_set));
            promises[num_set++].set_value(std::move(value));
          }
        } catch (...) {
          while (num_set < promises.size()) {
            promises[num_set++].set_exception(std::current_exception());
          }
        }
      }));
  return parts;
}

}  // namespace weft
