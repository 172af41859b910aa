// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a merge of sorted numbers: where they are cut, and the merges without vectors.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/kernels/number_bits.hpp"
#include "weft/algorithms/detail/kernels/vector_merge.hpp"
#include "weft/algorithms/detail/merging/merge_path.hpp"

namespace weft::algorithms::detail {

template <class T>
using key_pieces = merge_lane<const T*, const T*, T*>;

template <class T>
[[nodiscard]] key_pieces<T> typed_pieces(const key_lane& all) {
  return {static_cast<const T*>(all.a),
          all.a_size,
          static_cast<const T*>(all.b),
          all.b_size,
          static_cast<T*>(all.out)};
}

/// Returns how many leading keys come before `key`. Fast if there are few: the search doubles its
/// range.
template <class Compare, class T>
[[nodiscard]] std::size_t num_before(const T* keys, std::size_t n, T key) {
  const Compare comp;
  std::size_t last = 1;
  while (last <= n && comp(keys[last - 1], key)) {
    last *= 2;
  }
  return static_cast<std::size_t>(
      std::lower_bound(keys + last / 2, keys + std::min(last - 1, n), key, comp) - keys);
}

/// Merges a few keys with any number of others.
template <class Compare, class T>
T* merge_few(const T* few, std::size_t num_few, const T* rest, std::size_t num_rest, T* out) {
  const Compare comp;
  while (num_few != 0 && num_rest != 0) {
    const std::size_t steps = std::min(num_few, num_rest);
    std::size_t from_rest = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      const T x = few[i - from_rest];
      const T y = rest[from_rest];
      const bool takes_rest = comp(y, x);
      out[i] = chosen_of(takes_rest, x, y);
      from_rest += static_cast<std::size_t>(takes_rest);
    }
    out += steps;
    rest += from_rest;
    num_rest -= from_rest;
    few += steps - from_rest;
    num_few -= steps - from_rest;
    // all keys came from `rest`: its next run may be long
    if (from_rest == steps && num_rest != 0) {
      const std::size_t run = num_before<Compare>(rest, num_rest, *few);
      out = std::copy_n(rest, run, out);
      rest += run;
      num_rest -= run;
    }
  }
  return std::copy_n(rest, num_rest, std::copy_n(few, num_few, out));
}

/// Returns a key that no other key comes after.
template <class Compare, class T>
[[nodiscard]] constexpr T behind_all() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<Compare, std::less<>>) {
    return limits::has_infinity ? limits::infinity() : limits::max();
  } else if constexpr (std::is_same_v<Compare, std::greater<>>) {
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  } else {
    return std::bit_cast<T>(behind_all<typename Compare::of_bits, bits_of<T>>());
  }
}

/// Merges the remaining keys of two ranges with keys that were held back.
template <class Compare, class T, std::size_t n>
void merge_held(const std::array<T, n>& held, key_pieces<T> left) {
  if (left.b_size < left.a_size) {
    std::swap(left.a, left.b);
    std::swap(left.a_size, left.b_size);
  }
  std::array<T, 2 * n> few;  // enough: less than a vector remains in one of the ranges
  const T* const end =
      merge_few<Compare>(left.a, left.a_size, held.data(), held.size(), few.data());
  merge_few<Compare>(
      few.data(), static_cast<std::size_t>(end - few.data()), left.b, left.b_size, left.out);
}

/// Returns where the zeros begin in both ranges, and where they end.
template <class Compare, class T>
[[nodiscard]] std::array<merge_cut, 2> zeros_of(const key_pieces<T>& in) {
  const auto behind_zeros = [](const T* keys, std::size_t n, std::size_t i) {
    while (i != n && keys[i] == T{0}) {
      ++i;
    }
    return i;
  };
  const merge_cut first{num_before<Compare>(in.a, in.a_size, T{0}),
                        num_before<Compare>(in.b, in.b_size, T{0})};
  return {first, {behind_zeros(in.a, in.a_size, first.a), behind_zeros(in.b, in.b_size, first.b)}};
}

/// Writes each zero with its sign.
template <class T>
void copy_zeros(const key_pieces<T>& zeros) {
  std::copy_n(zeros.b, zeros.b_size, std::copy_n(zeros.a, zeros.a_size, zeros.out));
}

}  // namespace weft::algorithms::detail
