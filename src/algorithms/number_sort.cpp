// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts of numbers, few or many, once for all programs.
#include <algorithm>
#include <cstddef>
#include <functional>

#include "weft/algorithms/detail/leaf_sort.hpp"
#include "weft/algorithms/detail/shared_sort.hpp"
#include "weft/algorithms/detail/shares.hpp"
#include "weft/algorithms/detail/vector_sort.hpp"
#include "weft/algorithms/sort.hpp"

#include "algorithms/key_kinds.hpp"

namespace weft::algorithms::detail {
namespace {

template <class Key, class Compare>
void sort_many_keys(const loop_policy& how, Key* keys, std::size_t n, Compare comp) {
  if (was_in_order(keys, n, comp)) {
    return;
  }
  if (how.calls != nullptr && n >= shared_sort_from<Key*, Compare>) {
    shared_sort<loop_policy, Key*, Compare>(how, keys, n, comp).run();
  } else {
    leaf_sort(keys, n, comp);
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
