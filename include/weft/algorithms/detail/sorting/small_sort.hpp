// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable sorting of a few small trivial values, without branches that depend on them.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace weft::algorithms::detail {

/// Up to eight values, by counting for each how many come before it.
template <class T, class Compare>
void rank_sort(const T* from, std::size_t n, T* to, Compare& comp) {
  std::array<unsigned char, 8> rank{};
  for (std::size_t i = 1; i < n; ++i) {
    unsigned before = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const bool comes_first = static_cast<bool>(comp(from[i], from[j]));
      rank[j] = static_cast<unsigned char>(rank[j] + static_cast<unsigned>(comes_first));
      before += static_cast<unsigned>(!comes_first);
    }
    rank[i] = static_cast<unsigned char>(before);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::construct_at(to + rank[i], from[i]);
  }
}

/// Merges the halves [0, n / 2) and [n / 2, n) from both ends at once. The two chains of steps are
/// independent, and no step checks for the end of a half.
template <class T, class Compare>
[[gnu::always_inline]] inline void merge_halves(const T* from,
                                                std::size_t n,
                                                T* to,
                                                Compare& comp) {
  const std::size_t half = n / 2;
  const T* a = from;
  const T* b = from + half;
  const T* a_back = from + half;  // one behind the next
  const T* b_back = from + n;
  T* low = to;
  T* high = to + n;
  for (std::size_t i = 0; i < half; ++i) {
    const bool takes_b = static_cast<bool>(comp(*b, *a));
    std::construct_at(low, *(takes_b ? b : a));
    ++low;
    a += !takes_b;
    b += takes_b;
    const bool takes_a_back = static_cast<bool>(comp(b_back[-1], a_back[-1]));
    --high;
    std::construct_at(high, *((takes_a_back ? a_back : b_back) - 1));
    a_back -= takes_a_back;
    b_back -= !takes_a_back;
  }
  if (n % 2 != 0) {
    std::construct_at(low, *(a != a_back ? a : b));
  }
}

/// Up to 32 values, in place.
template <class T, class Compare>
void small_sort(T* data, std::size_t n, Compare& comp) {
  constexpr std::size_t most = 32;
  alignas(T) std::array<std::byte, most * sizeof(T)> memory;
  T* const room = reinterpret_cast<T*>(memory.data());
  const std::size_t half = n / 2;
  const auto sort_half = [&comp](T* from, std::size_t size, T* to) {
    if (size <= 8) {
      rank_sort(from, size, to, comp);
      return;
    }
    // Both quarters next to each other: `to` is free until they are merged there.
    alignas(T) std::array<std::byte, most / 2 * sizeof(T)> quarters_memory;
    T* const quarters = reinterpret_cast<T*>(quarters_memory.data());
    rank_sort(from, size / 2, quarters, comp);
    rank_sort(from + size / 2, size - size / 2, quarters + size / 2, comp);
    merge_halves(quarters, size, to, comp);
  };
  sort_half(data, half, room);
  sort_half(data + half, n - half, room + half);
  merge_halves(room, n, data, comp);
}

}  // namespace weft::algorithms::detail
