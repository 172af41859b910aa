// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits numbers in place: moves those before a pivot to the front, a few vectors at a time.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>  // IWYU pragma: keep: for targets without doubles

#include "weft/algorithms/detail/kernels/vector_sort.hpp"

#include "algorithms/key_kinds.hpp"

#ifndef WEFT_ALGORITHMS_SPLIT_ONCE  // Highway includes this file once for every target
#define WEFT_ALGORITHMS_SPLIT_ONCE
namespace weft::algorithms::detail {
namespace {

/// Where the next keys of each side go: [0, left) and [right, n) are written.
template <class T>
struct write_ends {
  T* keys;
  std::size_t left;
  std::size_t right;
};

template <split_side side, class T>
[[maybe_unused]] bool belongs_left_one(T key, T pivot) {
  if constexpr (side == split_side::less) {
    return key < pivot;
  } else if constexpr (side == split_side::less_equal) {
    return key <= pivot;
  } else if constexpr (side == split_side::greater) {
    return key > pivot;
  } else {
    return key >= pivot;
  }
}

/// Writes keys that were taken out of the range to their side.
template <split_side side, class T>
[[maybe_unused]] void write_held(const T* held, std::size_t n, T pivot, write_ends<T>& to) {
  for (std::size_t i = 0; i < n; ++i) {
    const T key = held[i];
    const bool is_left = belongs_left_one<side>(key, pivot);
    to.keys[to.left] = key;
    to.keys[to.right - 1] = key;
    to.left += static_cast<std::size_t>(is_left);
    to.right -= static_cast<std::size_t>(!is_left);
  }
}

/// Splits all keys in place, for targets without vectors.
template <split_side side, class T>
[[maybe_unused]] std::size_t split_one_by_one(T* keys, std::size_t n, T pivot) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T key = keys[i];
    keys[i] = keys[left];
    keys[left] = key;
    left += static_cast<std::size_t>(belongs_left_one<side>(key, pivot));
  }
  return left;
}

/// For each set of the 8 words of a vector: the indices of the words in the set, then of the
/// others.
constexpr std::array<std::array<std::uint32_t, 8>, 256> make_words_in_front() {
  std::array<std::array<std::uint32_t, 8>, 256> table{};
  for (std::uint32_t set = 0; set < 256; ++set) {
    std::size_t next = 0;
    for (const std::uint32_t wanted : {1U, 0U}) {
      for (std::uint32_t i = 0; i < 8; ++i) {
        if (((set >> i) & 1U) == wanted) {
          table[set][next++] = i;
        }
      }
    }
  }
  return table;
}
[[maybe_unused]] constexpr auto words_in_front = make_words_in_front();

/// Calls `split.operator()<side>()`.
template <class Split>
std::size_t with_side(split_side side, Split split) {
  switch (side) {
    case split_side::less:
      return split.template operator()<split_side::less>();
    case split_side::less_equal:
      return split.template operator()<split_side::less_equal>();
    case split_side::greater:
      return split.template operator()<split_side::greater>();
    case split_side::greater_equal:
      return split.template operator()<split_side::greater_equal>();
  }
  return 0;
}

/// Splits the whole range without vectors.
[[maybe_unused]] std::size_t split_plainly(
    void* keys, std::size_t n, key_kind kind, split_side side, const void* pivot) {
  return with_key_type(kind, [=]<class Key>() {
    auto* const first = static_cast<Key*>(keys);
    const Key key = *static_cast<const Key*>(pivot);
    return with_side(side, [=]<split_side s>() { return split_one_by_one<s>(first, n, key); });
  });
}

}  // namespace
}  // namespace weft::algorithms::detail
#endif

#if defined(WEFT_HAS_HIGHWAY)
// Highway compiles this file once for every instruction set that it chooses from at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/vector_split.cpp"  // NOLINT
#include <hwy/base.h>
#include <hwy/detect_targets.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::algorithms::detail::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <split_side side, class V>
auto belongs_left(V keys, V pivot) {
  if constexpr (side == split_side::less) {
    return hn::Lt(keys, pivot);
  } else if constexpr (side == split_side::less_equal) {
    return hn::Not(hn::Lt(pivot, keys));
  } else if constexpr (side == split_side::greater) {
    return hn::Lt(pivot, keys);
  } else {
    return hn::Not(hn::Lt(keys, pivot));
  }
}

/// Compiled for targets with wide enough vectors and a way to gather the keys of one side in one
/// vector.
template <class T>
constexpr bool has_vectors() {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
  return false;
#elif HWY_TARGET == HWY_AVX2
  return sizeof(T) >= 4;
#elif !HWY_HAVE_FLOAT64
  return !std::is_same_v<T, double>;
#else
  return true;
#endif
}

/// Moves the keys that `mask` names to the front. Keys of 8 bytes are pairs of 4.
///
/// For 8 bytes, and for everything below AVX-512, Highway 1.0 keeps its tables in automatic arrays.
/// At every call, g++ copies such arrays to the stack (20 times slower). So we have our own table.
template <class D, class V, class M>
HWY_INLINE V compress(D d, V v, M mask) {
#if HWY_TARGET == HWY_AVX2
  const hn::Repartition<std::uint32_t, D> words;
  const auto both = hn::BitCast(words, hn::VecFromMask(d, mask));
  const auto bits = hn::detail::BitsFromMask(hn::MaskFromVec(both));
  const auto order = hn::SetTableIndices(words, words_in_front[bits].data());
  return hn::BitCast(d, hn::TableLookupLanes(hn::BitCast(words, v), order));
#else
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    const hn::Repartition<std::uint32_t, D> words;
    const auto both = hn::MaskFromVec(hn::BitCast(words, hn::VecFromMask(d, mask)));
    return hn::BitCast(d, hn::Compress(hn::BitCast(words, v), both));
  } else {
    return hn::Compress(v, mask);
  }
#endif
}

template <split_side side, class D, class T = hn::TFromD<D>>
HWY_INLINE void write_vector(D d, hn::Vec<D> v, hn::Vec<D> pivot, write_ends<T>& to) {
  const auto mask = belongs_left<side>(v, pivot);
  const std::size_t num_left = hn::CountTrue(d, mask);
  const std::size_t num_right = hn::Lanes(d) - num_left;
  hn::StoreU(compress(d, v, mask), d, to.keys + to.left);
  to.left += num_left;
  to.right -= num_right;
  hn::BlendedStore(compress(d, v, hn::Not(mask)), hn::FirstN(d, num_right), d, to.keys + to.right);
}

template <split_side side, class T>
std::size_t split(T* keys, std::size_t n, T pivot_key) {
  // At most 512 bits, so that arrays here have a size.
  using tag = hn::CappedTag<T, 64 / sizeof(T)>;
  const tag d;
  constexpr std::size_t unroll = 4;
  constexpr std::size_t most_lanes = 64 / sizeof(T);
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t step = unroll * lanes;
  // The vectors that were read and not yet written: at first two steps, so that a vector always has
  // room on both sides.
  alignas(64) std::array<T, 3 * unroll * most_lanes> held;
  std::size_t num_held = 0;
  write_ends<T> to{keys, 0, n};
  std::size_t read_first = 0;
  std::size_t read_last = n;
  if (n >= 2 * step) {
    std::copy_n(keys, step, held.data());
    std::copy_n(keys + (n - step), step, held.data() + step);
    num_held = 2 * step;
    read_first = step;
    read_last = n - step;
    const auto pivot = hn::Set(d, pivot_key);
    while (read_last - read_first >= step) {
      const T* from = keys + read_first;
      if (read_first - to.left <= to.right - read_last) {
        read_first += step;
      } else {
        read_last -= step;
        from = keys + read_last;
      }
      const auto a = hn::LoadU(d, from);
      const auto b = hn::LoadU(d, from + lanes);
      const auto c = hn::LoadU(d, from + (2 * lanes));
      const auto e = hn::LoadU(d, from + (3 * lanes));
      write_vector<side>(d, a, pivot, to);
      write_vector<side>(d, b, pivot, to);
      write_vector<side>(d, c, pivot, to);
      write_vector<side>(d, e, pivot, to);
    }
    std::copy(keys + read_first, keys + read_last, held.data() + num_held);
    num_held += read_last - read_first;
  } else {
    std::copy_n(keys, n, held.data());
    num_held = n;
  }
  write_held<side>(held.data(), num_held, pivot_key, to);
  return to.left;
}

/// Keys whose vectors this target can compare.
template <class T>
std::size_t split_keys(void* keys, std::size_t n, split_side side, const void* pivot) {
  auto* const first = static_cast<T*>(keys);
  const T key = *static_cast<const T*>(pivot);
  return with_side(side, [=]<split_side s>() {
    if constexpr (has_vectors<T>()) {
      return split<s>(first, n, key);
    } else {
      return split_one_by_one<s>(first, n, key);
    }
  });
}

std::size_t split_any(
    void* keys, std::size_t n, key_kind kind, split_side side, const void* pivot) {
  return with_key_type(kind, [=]<class Key>() { return split_keys<Key>(keys, n, side, pivot); });
}

}  // namespace
}  // namespace weft::algorithms::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::algorithms::detail {
namespace {

HWY_EXPORT(split_any);

}  // namespace

std::size_t vector_split(
    void* keys, std::size_t n, key_kind kind, split_side side, const void* pivot) noexcept {
  return HWY_DYNAMIC_DISPATCH(split_any)(keys, n, kind, side, pivot);
}

}  // namespace weft::algorithms::detail
#endif

#else
namespace weft::algorithms::detail {

std::size_t vector_split(
    void* keys, std::size_t n, key_kind kind, split_side side, const void* pivot) noexcept {
  return split_plainly(keys, n, kind, side, pivot);
}

}  // namespace weft::algorithms::detail
#endif
