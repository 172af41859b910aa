// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of numbers, few or many, compiled once for all programs.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "weft/algorithms/detail/kernels/vector_sort.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"
#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/loops/find_chunk.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/detail/sharing/shares.hpp"
#include "weft/algorithms/detail/sorting/leaf_sort.hpp"
#include "weft/algorithms/detail/sorting/shared_sort.hpp"
#include "weft/algorithms/is_sorted.hpp"
#include "weft/algorithms/reverse.hpp"
#include "weft/algorithms/sort.hpp"

#include "algorithms/key_kinds.hpp"

namespace weft::algorithms::detail {
namespace {

/// The policy of the loops of a sort. Such loops choose their own chunks and report none.
[[nodiscard]] loop_policy for_loops_of(const loop_policy& how) {
  loop_policy loops = how;
  loops.choice = chunk_choice::measured;
  loops.most_chunks.reset();
  loops.chosen = nullptr;
  return loops;
}

/// Keys and their order.
template <class Key, class Compare>
struct ordered_keys {
  using opposite =
      std::conditional_t<std::is_same_v<Compare, std::less<>>, std::greater<>, std::less<>>;

  const Key* keys;

  [[nodiscard]] bool is_before(std::size_t i, std::size_t j) const {
    return Compare()(keys[i], keys[j]);
  }
  /// Returns the first i of [first, last) for which key i + 1 comes before key i, or `last`.
  [[nodiscard]] std::size_t first_descent(std::size_t first, std::size_t last) const {
    Compare comp;
    return detail::first_descent(keys, first, last, comp);
  }
  /// Returns the first i for which key i + 1 comes after key i, or `last`.
  [[nodiscard]] std::size_t first_ascent(std::size_t first, std::size_t last) const {
    opposite comp;
    return detail::first_descent(keys, first, last, comp);
  }
};

/// The same of pairs of keys.
struct ordered_pairs {
  const std::uint64_t* numbers;
  std::uint64_t turned_bits;  // for a number whose halves are swapped

  [[nodiscard]] std::int64_t key(std::size_t i) const noexcept {
    return static_cast<std::int64_t>(std::rotl(numbers[i], 32) ^ turned_bits);
  }
  [[nodiscard]] bool is_before(std::size_t i, std::size_t j) const noexcept {
    return key(i) < key(j);
  }
  [[nodiscard]] std::size_t first_descent(std::size_t first, std::size_t last) const {
    return first_in_blocks<std::uint64_t>(
        first, last, [own = *this](std::size_t i) { return own.key(i + 1) < own.key(i); });
  }
  [[nodiscard]] std::size_t first_ascent(std::size_t first, std::size_t last) const {
    return first_in_blocks<std::uint64_t>(
        first, last, [own = *this](std::size_t i) { return own.key(i + 1) > own.key(i); });
  }
};

/// Returns the end of the elements of [first, n) that are in order. `find(i, j)` returns the first
/// element of [i, j) that is out of order with its successor, or j.
template <class Find>
[[nodiscard]] std::size_t end_of_order(const loop_policy& how,
                                       std::size_t first,
                                       std::size_t n,
                                       std::size_t bytes_per_element,
                                       Find find) {
  constexpr std::size_t few = 256;  // enough to recognise most unordered ranges
  const std::size_t head = std::min(n - 1, first + few);
  const std::size_t found = find(first, head);
  if (found != head || head == n - 1) {
    return found + 1;
  }
  auto scan = [head, &find](std::size_t i, std::size_t j) {
    return find(head + i, head + j) - head;
  };
  static constinit cost_record costs;
  const loop_shape shape{.n = n - 1 - head, .bytes_per_element = bytes_per_element};
  return head + 1 +
         (how.calls == nullptr
              ? scan(0, shape.n)
              : find_long_chunk(how, shape, costs, loop_body(scan), wanted_hit::first));
}

template <class Key>
void reverse_keys(const loop_policy& how, Key* keys, std::size_t n) {
  static constinit cost_record costs;
  const loop_shape shape{
      .n = n / 2, .bytes_per_element = 4 * sizeof(Key), .multiple_of = elements_per_line<Key>};
  auto body = [keys, n](std::size_t first, std::size_t last) {
    reverse_block(keys, keys + n, first, last);
  };
  if (how.calls == nullptr) {
    body(0, shape.n);
  } else {
    for_long_chunks(how, shape, costs, loop_body(body));
  }
}

/// Whether the keys were sorted already, or were in the opposite order. The latter are reversed
/// here.
template <class Key, class Ordered>
[[nodiscard]] bool were_in_order(const loop_policy& how,
                                 Key* keys,
                                 std::size_t n,
                                 const Ordered& ordered) {
  const loop_policy loops = for_loops_of(how);
  const std::size_t end =
      end_of_order(loops, 0, n, sizeof(Key), [&ordered](std::size_t i, std::size_t j) {
        return ordered.first_descent(i, j);
      });
  if (end == n) {
    return true;
  }
  if (ordered.is_before(0, end - 1)) {
    return false;
  }
  // All keys so far are equal.
  const auto first_ascent = [&ordered](std::size_t i, std::size_t j) {
    return ordered.first_ascent(i, j);
  };
  if (end_of_order(loops, end - 1, n, sizeof(Key), first_ascent) != n) {
    return false;
  }
  reverse_keys(loops, keys, n);
  return true;
}

template <class Key, class Compare>
void sort_unordered_keys(const loop_policy& how, Key* keys, std::size_t n, Compare comp) {
  if (how.calls != nullptr && n >= shared_sort_from<Key*, Compare>) {
    shared_sort<loop_policy, Key*, Compare>(how, keys, n, comp).run();
  } else {
    leaf_sort(keys, n, comp);
  }
}

template <class Key, class Compare>
void sort_many_keys(const loop_policy& how, Key* keys, std::size_t n, Compare comp) {
  if (!were_in_order(how, keys, n, ordered_keys<Key, Compare>{keys})) {
    sort_unordered_keys(how, keys, n, comp);
  }
}

/// Applies `change` to each number, with all workers.
template <class Change>
void change_all(const loop_policy& how, std::uint64_t* numbers, std::size_t n, Change change) {
  static constinit cost_record costs;
  auto body = [=](std::size_t first, std::size_t last) {
    run_vectorized([=]() __attribute__((always_inline)) {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::size_t i = first; i < last; ++i) {
        numbers[i] = change(numbers[i]);
      }
    });
  };
  if (how.calls == nullptr) {
    body(0, n);
  } else {
    const loop_shape shape{.n = n, .bytes_per_element = 2 * sizeof(std::uint64_t)};
    for_long_chunks(for_loops_of(how), shape, costs, loop_body(body));
  }
}

}  // namespace

void sort_numbers(
    const loop_policy& how, void* keys, std::size_t n, key_kind kind, key_order order) {
  with_key_type(kind, [&]<class Key>() {
    if (order == key_order::ascending) {
      sort_many_keys(how, static_cast<Key*>(keys), n, std::less<>());
    } else {
      sort_many_keys(how, static_cast<Key*>(keys), n, std::greater<>());
    }
  });
}

void sort_pairs_of_keys(
    const loop_policy& how, void* pairs, std::size_t n, key_pair kinds, key_order order) {
  // The bytes of a pair form a number whose low half comes first. With the sign bit inverted,
  // negative numbers come before the others.
  auto* const numbers = static_cast<std::uint64_t*>(pairs);
  constexpr std::uint64_t sign = std::uint64_t{1} << 31U;
  constexpr int half = 32;
  const std::uint64_t signs =
      (kinds.is_first_signed ? sign << 32U : 0) | (kinds.is_second_signed ? sign : 0);
  // Compared as signed numbers; for the opposite order, all bits are inverted.
  const std::uint64_t turned_bits =
      signs ^ (sign << 32U) ^ (order == key_order::ascending ? 0 : ~std::uint64_t{0});
  if (were_in_order(how, numbers, n, ordered_pairs{numbers, turned_bits})) {
    return;
  }
  change_all(how, numbers, n, [signs](std::uint64_t x) { return std::rotl(x, half) ^ signs; });
  if (order == key_order::ascending) {
    sort_unordered_keys(how, numbers, n, std::less<>());
  } else {
    sort_unordered_keys(how, numbers, n, std::greater<>());
  }
  change_all(how, numbers, n, [signs](std::uint64_t x) { return std::rotl(x ^ signs, half); });
}

template <key_kind kind, key_order order>
void sort_few_keys(void* keys, std::size_t n) noexcept {
  auto* const first = static_cast<key_of<kind>*>(keys);
  if constexpr (order == key_order::ascending) {
    std::sort(first, first + n);
  } else {
    std::sort(first, first + n, std::greater<>());
  }
}

#define WEFT_SORT_FEW(kind)                                                                       \
  template void sort_few_keys<key_kind::kind, key_order::ascending>(void*, std::size_t) noexcept; \
  template void sort_few_keys<key_kind::kind, key_order::descending>(void*, std::size_t) noexcept
WEFT_SORT_FEW(i16);
WEFT_SORT_FEW(u16);
WEFT_SORT_FEW(i32);
WEFT_SORT_FEW(u32);
WEFT_SORT_FEW(i64);
WEFT_SORT_FEW(u64);
WEFT_SORT_FEW(f32);
WEFT_SORT_FEW(f64);
#undef WEFT_SORT_FEW

}  // namespace weft::algorithms::detail
