// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting of numbers by Highway's vectorised quicksort, or by the standard library where there is
// no Highway.
#include "weft/algorithms/detail/vector_sort.hpp"

#include <cstddef>
#include <cstdint>

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
  switch (kind) {
    case key_kind::i16:
      return sort_keys(static_cast<std::int16_t*>(keys), n, order);
    case key_kind::u16:
      return sort_keys(static_cast<std::uint16_t*>(keys), n, order);
    case key_kind::i32:
      return sort_keys(static_cast<std::int32_t*>(keys), n, order);
    case key_kind::u32:
      return sort_keys(static_cast<std::uint32_t*>(keys), n, order);
    case key_kind::i64:
      return sort_keys(static_cast<std::int64_t*>(keys), n, order);
    case key_kind::u64:
      return sort_keys(static_cast<std::uint64_t*>(keys), n, order);
    case key_kind::f32:
      return sort_keys(static_cast<float*>(keys), n, order);
    case key_kind::f64:
      return sort_keys(static_cast<double*>(keys), n, order);
    case key_kind::none:
      return;
  }
}

}  // namespace weft::algorithms::detail
