// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of numbers by Highway's vectorised quicksort, or by the standard library where there is
// no Highway.
#include "weft/algorithms/detail/vector_sort.hpp"

#include <cstddef>

#include "algorithms/key_kinds.hpp"

#if defined(WEFT_HAS_HIGHWAY)
#include <hwy/contrib/sort/vqsort.h>
#else
#include <algorithm>
#include <functional>
#endif

namespace weft::algorithms::detail {
namespace {

#if defined(WEFT_HAS_HIGHWAY)
template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
  const hwy::Sorter sorter;
  if (order == key_order::ascending) {
    sorter(keys, n, hwy::SortAscending());
  } else {
    sorter(keys, n, hwy::SortDescending());
  }
}
#else
template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
  if (order == key_order::ascending) {
    std::sort(keys, keys + n);
  } else {
    std::sort(keys, keys + n, std::greater<>());
  }
}
#endif

}  // namespace

void vector_sort(void* keys, std::size_t n, key_kind kind, key_order order) noexcept {
  with_key_type(kind, [=]<class Key>() { sort_keys(static_cast<Key*>(keys), n, order); });
}

}  // namespace weft::algorithms::detail
