// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorts numbers by Highway's vectorised quicksort, or by the standard library in builds without
// Highway.
#include "weft/algorithms/detail/kernels/vector_sort.hpp"

#include <cstddef>

#include "algorithms/kernel_choice.hpp"
#include "algorithms/key_kinds.hpp"

#if defined(WEFT_HAS_HIGHWAY)
// Of Highway's own kernels, this file compiles only those for AVX2, once for every pass of
// foreach_target.hpp.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (~(HWY_AVX2 | HWY_SCALAR | HWY_EMU128))  // NOLINT: Highway's own name
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/vector_sort.cpp"  // NOLINT: Highway's own name
#include <hwy/detect_targets.h>
#if HWY_ARCH_X86 && !defined(HWY_AVX3_ZEN4)  // NOLINT: by that header
#define WEFT_SORTS_BY_AVX2 1
#include <hwy/foreach_target.h>
//
#include <hwy/contrib/sort/traits-inl.h>
#include <hwy/contrib/sort/vqsort-inl.h>
#include <hwy/highway.h>

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace weft::algorithms::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
  const hn::SortTag<T> d;
  T* const no_buffer = nullptr;  // needed for targets whose vector size is unknown
  if (order == key_order::ascending) {
    const hn::detail::SharedTraits<hn::detail::TraitsLane<hn::detail::OrderAscending<T>>> traits;
    hn::Sort(d, traits, keys, n, no_buffer);
  } else {
    const hn::detail::SharedTraits<hn::detail::TraitsLane<hn::detail::OrderDescending<T>>> traits;
    hn::Sort(d, traits, keys, n, no_buffer);
  }
}

}  // namespace
}  // namespace weft::algorithms::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif

#if !defined(WEFT_SORTS_BY_AVX2) || HWY_ONCE
#include <hwy/contrib/sort/vqsort.h>

namespace weft::algorithms::detail {
namespace {

#if defined(WEFT_SORTS_BY_AVX2)
/// Whether AVX-512 sorts 32-bit keys several times more slowly than AVX2: the instruction that
/// writes compressed vectors to memory is slow on AMD's processors. Versions of Highway with the
/// target AVX3_ZEN4 avoid that instruction.
[[nodiscard]] bool is_avx512_slow() noexcept {
  // Cached: Highway would ask the processor each time, which takes 14 us in a virtual machine,
  //         where `cpuid` traps.
  return __builtin_cpu_is("amd") != 0 && kernel_to_use() == compress_kernel::avx512;
}
#endif

template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
#if defined(WEFT_SORTS_BY_AVX2)
  if constexpr (sizeof(T) == 4) {
    if (is_avx512_slow()) {
      N_AVX2::sort_keys(keys, n, order);
      return;
    }
  }
#endif
  const hwy::Sorter sorter;
  if (order == key_order::ascending) {
    sorter(keys, n, hwy::SortAscending());
  } else {
    sorter(keys, n, hwy::SortDescending());
  }
}

}  // namespace
}  // namespace weft::algorithms::detail
#endif

#else
#include <algorithm>
#include <functional>

namespace weft::algorithms::detail {
namespace {

template <class T>
void sort_keys(T* keys, std::size_t n, key_order order) {
  if (order == key_order::ascending) {
    std::sort(keys, keys + n);
  } else {
    std::sort(keys, keys + n, std::greater<>());
  }
}

}  // namespace
}  // namespace weft::algorithms::detail
#endif

#if !defined(HWY_ONCE) || HWY_ONCE
namespace weft::algorithms::detail {

void vector_sort(void* keys, std::size_t n, key_kind kind, key_order order) noexcept {
  with_key_type(kind, [=]<class Key>() { sort_keys(static_cast<Key*>(keys), n, order); });
}

}  // namespace weft::algorithms::detail
#endif
