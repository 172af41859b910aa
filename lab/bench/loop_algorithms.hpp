// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms written by hand with parallel loops, for backends without algorithms.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/bench/algorithm_members.hpp"

namespace weft::bench {

/// Combines `map(i)` for begin <= i < end; the range is not empty.
template <class T, class Combine>
T reduce_part(std::size_t begin, std::size_t end, const auto& map, const Combine& combine) {
  constexpr bool is_sum =
      std::is_same_v<Combine, std::plus<>> || std::is_same_v<Combine, std::plus<T>>;
  if constexpr (is_sum && std::is_arithmetic_v<T>) {
    // through a reference g++ gathers elements; from a copy it loads them in sequence
    const auto own = map;
    T sum{};
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = begin; i < end; ++i) {
      sum += own(i);
    }
    return sum;
  } else {
    T value = map(begin);
    for (std::size_t i = begin + 1; i < end; ++i) {
      value = combine(value, map(i));
    }
    return value;
  }
}

/// Algorithms on top of `Loops`, which has the static members `for_loop(n, body)`,
/// `reduce(n, init, map, combine)` and `num_threads()`.
/// Shape: random-access iterators.
template <class Loops>
class loop_algorithms : public no_members {
 public:
  template <class It>
  static void for_each(It first, It last, auto body) {
    Loops::for_loop(size(first, last), [=](std::size_t i) { body(first[at(i)]); });
  }

  template <class It, class Out>
  static Out transform(It first, It last, Out out, auto map) {
    Loops::for_loop(size(first, last), [=](std::size_t i) { out[at(i)] = map(first[at(i)]); });
    return out + (last - first);
  }
  template <class It, std::random_access_iterator Other, class Out>
  static Out transform(It first, It last, Other other, Out out, auto map) {
    Loops::for_loop(size(first, last),
                    [=](std::size_t i) { out[at(i)] = map(first[at(i)], other[at(i)]); });
    return out + (last - first);
  }

  template <class It, class Out>
  static Out copy(It first, It last, Out out) {
    return transform(first, last, out, std::identity());
  }

  template <class It, class T>
  static void fill(It first, It last, const T& value) {
    Loops::for_loop(size(first, last), [=](std::size_t i) { first[at(i)] = value; });
  }

  template <class It>
  static auto reduce(It first, It last) {
    return reduce(first, last, std::iter_value_t<It>());
  }
  template <std::random_access_iterator It, class T, class Combine = std::plus<>>
  static T reduce(It first, It last, T init, Combine combine = {}) {
    return transform_reduce(first, last, init, combine, std::identity());
  }

  template <class It, class T, class Combine, class Map>
    requires std::invocable<Map&, std::iter_reference_t<It>>
  static T transform_reduce(It first, It last, T init, Combine combine, Map map) {
    return Loops::reduce(
        size(first, last), init, [=](std::size_t i) { return map(first[at(i)]); }, combine);
  }
  template <class It,
            std::random_access_iterator Other,
            class T,
            class Combine = std::plus<>,
            class Map = std::multiplies<>>
  static T transform_reduce(
      It first, It last, Other other, T init, Combine combine = {}, Map map = {}) {
    return Loops::reduce(
        size(first, last),
        init,
        [=](std::size_t i) { return map(first[at(i)], other[at(i)]); },
        combine);
  }

  template <class It>
  static auto count_if(It first, It last, auto is_counted) {
    return transform_reduce(
        first, last, std::iter_difference_t<It>(0), std::plus<>(), [=](const auto& element) {
          return static_cast<std::iter_difference_t<It>>(is_counted(element));
        });
  }
  template <class It, class T>
  static auto count(It first, It last, const T& value) {
    return count_if(first, last, [=](const auto& element) { return element == value; });
  }

  template <class It, class Out, class Combine = std::plus<>>
  static Out inclusive_scan(It first, It last, Out out, Combine combine = {}) {
    using sum = std::optional<std::iter_value_t<It>>;  // starts from an element
    const pieces all = pieces_of(size(first, last));
    const auto piece = [&](std::size_t p) { return first + at(all.begin(p)); };
    std::vector<sum> before(all.count + 1);
    Loops::for_loop(all.count, [&](std::size_t p) {
      if (piece(p) != piece(p + 1)) {
        before[p + 1] = std::accumulate(piece(p) + 1, piece(p + 1), *piece(p), combine);
      }
    });
    for (std::size_t p = 1; p <= all.count; ++p) {
      if (before[p - 1]) {
        before[p] = before[p] ? combine(*before[p - 1], *before[p]) : before[p - 1];
      }
    }
    Loops::for_loop(all.count, [&](std::size_t p) {
      const auto begin_out = out + at(all.begin(p));
      if (before[p]) {
        std::inclusive_scan(piece(p), piece(p + 1), begin_out, combine, *before[p]);
      } else {
        std::inclusive_scan(piece(p), piece(p + 1), begin_out, combine);
      }
    });
    return out + (last - first);
  }

  template <class It, class Out>
  static Out copy_if(It first, It last, Out out, auto is_copied) {
    const pieces all = pieces_of(size(first, last));
    std::vector<std::ptrdiff_t> ends(all.count + 1);
    const auto piece = [&](std::size_t p) { return first + at(all.begin(p)); };
    Loops::for_loop(all.count, [&](std::size_t p) {
      ends[p + 1] = std::count_if(piece(p), piece(p + 1), is_copied);
    });
    std::inclusive_scan(ends.begin(), ends.end(), ends.begin());
    Loops::for_loop(all.count, [&](std::size_t p) {
      std::copy_if(piece(p), piece(p + 1), out + ends[p], is_copied);
    });
    return out + ends.back();
  }

 private:
  struct pieces {
    std::size_t size;
    std::size_t count;
    [[nodiscard]] std::size_t begin(std::size_t piece) const { return size * piece / count; }
  };

  [[nodiscard]] static pieces pieces_of(std::size_t size) { return {size, Loops::num_threads()}; }
  static std::size_t size(auto first, auto last) { return static_cast<std::size_t>(last - first); }
  static std::ptrdiff_t at(std::size_t index) { return static_cast<std::ptrdiff_t>(index); }
};

}  // namespace weft::bench
