// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges sorted numbers a vector at a time, through branch-free networks.
#include "weft/algorithms/detail/kernels/vector_merge.hpp"

#include <algorithm>  // IWYU pragma: keep: for targets with vectors, as all here
#include <array>      // IWYU pragma: keep
#include <cstddef>
#include <functional>   // IWYU pragma: keep
#include <type_traits>  // IWYU pragma: keep
#include <utility>      // IWYU pragma: keep

#include "weft/algorithms/detail/kernels/number_bits.hpp"  // IWYU pragma: keep
#include "weft/algorithms/detail/kernels/vector_sort.hpp"

#include "algorithms/key_kinds.hpp"     // IWYU pragma: keep
#include "algorithms/merge_pieces.hpp"  // IWYU pragma: keep

#if defined(WEFT_HAS_HIGHWAY)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/vector_merge.cpp"  // NOLINT: Highway's own name
#include <hwy/base.h>                                     // IWYU pragma: keep
#include <hwy/detect_compiler_arch.h>
#include <hwy/detect_targets.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::algorithms::detail::HWY_NAMESPACE {
namespace {

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // a better target has a lower number

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using tag_of = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using vector_of = hn::Vec<tag_of<T>>;
template <class T>
inline constexpr std::size_t width = hn::MaxLanes(tag_of<T>());

/// Whether vectors of floating-point numbers are compared by their bits, which is faster.
template <class T>
inline constexpr bool goes_by_bits =
    std::is_floating_point_v<T> && (sizeof(T) == 4 || HWY_TARGET != HWY_AVX2);

/// If neither of two keys comes before the other, each result still gets one of the two keys.
template <class Compare, class D, class V>
HWY_INLINE V earlier(D d, V x, V y) {
  if constexpr (std::is_same_v<Compare, std::less<>>) {
    return hn::Min(x, y);
  } else if constexpr (std::is_same_v<Compare, std::greater<>>) {
    return hn::Max(x, y);
  } else {
    const hn::RebindToUnsigned<D> bits;
    using of_bits = typename Compare::of_bits;
    return hn::BitCast(d, earlier<of_bits>(bits, hn::BitCast(bits, x), hn::BitCast(bits, y)));
  }
}
template <class Compare, class D, class V>
HWY_INLINE V later(D d, V x, V y) {
  if constexpr (std::is_same_v<Compare, std::less<>>) {
    return hn::Max(x, y);
  } else if constexpr (std::is_same_v<Compare, std::greater<>>) {
    return hn::Min(x, y);
  } else {
    const hn::RebindToUnsigned<D> bits;
    using of_bits = typename Compare::of_bits;
    return hn::BitCast(d, later<of_bits>(bits, hn::BitCast(bits, x), hn::BitCast(bits, y)));
  }
}

/// Each lane gets the lane `distance` bytes away, within pairs of groups that are `distance` bytes
/// wide.
template <std::size_t distance, class D, class V>
HWY_INLINE V partners(D d, V v) {
  if constexpr (distance == 4) {
    return hn::Shuffle2301(v);
  } else if constexpr (distance == 8) {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return hn::Shuffle01(v);
    } else {
      return hn::Shuffle1032(v);
    }
  } else if constexpr (distance == 16) {
    return hn::SwapAdjacentBlocks(v);
  } else {
    static_assert(distance == 32);
    return hn::ConcatLowerUpper(d, v, v);
  }
}

/// Of each pair of groups, takes the second group from `second` and the first from `first`.
template <std::size_t distance, class D, class V>
HWY_INLINE V joined(D d, V second, V first) {
  if constexpr (distance == sizeof(hn::TFromD<D>)) {
    return hn::OddEven(second, first);
  } else if constexpr (distance == 8) {
    const hn::RepartitionToWide<D> wide;
    return hn::BitCast(d, hn::OddEven(hn::BitCast(wide, second), hn::BitCast(wide, first)));
  } else if constexpr (distance == 16) {
    return hn::OddEvenBlocks(second, first);
  } else {
    return hn::ConcatUpperLower(d, second, first);
  }
}

/// Sorts keys that rise and then fall, or fall and then rise, within pairs of groups that are
/// `distance` bytes wide.
///
/// Source: Batcher, "Sorting networks and their applications", 1968.
template <class Compare, std::size_t distance, class D, class V>
HWY_INLINE V straightened(D d, V v) {
  const V other = partners<distance>(d, v);
  const V next = joined<distance>(d, later<Compare>(d, v, other), earlier<Compare>(d, v, other));
  if constexpr (distance == sizeof(hn::TFromD<D>)) {
    return next;
  } else {
    return straightened<Compare, distance / 2>(d, next);
  }
}

/// A merge that holds back one sorted vector: no key already written comes after a key in it.
template <class T>
struct held_lane {
  const T* a;
  const T* a_end;
  const T* b;
  const T* b_end;
  T* out;
  vector_of<T> held;

  [[nodiscard]] HWY_INLINE key_pieces<T> unread() const {
    return {a, static_cast<std::size_t>(a_end - a), b, static_cast<std::size_t>(b_end - b), out};
  }
  /// Returns how many vectors can be read, whichever range they come from.
  [[nodiscard]] HWY_INLINE std::size_t num_steps() const {
    return std::min(unread().a_size, unread().b_size) / width<T>;
  }
  /// Whether few enough keys remain to be merged by partly filled vectors.
  [[nodiscard]] HWY_INLINE bool ends_soon() const { return unread().size() <= 8 * width<T>; }
};

template <class T>
HWY_INLINE held_lane<T> held_from(const key_pieces<T>& in) {
  return {.a = in.a + width<T>,
          .a_end = in.a + in.a_size,
          .b = in.b,
          .b_end = in.b + in.b_size,
          .out = in.out,
          .held = hn::LoadU(tag_of<T>(), in.a)};
}

/// Holds back the upper half of all keys of two vectors, of which one is reversed; returns the
/// lower half.
template <class Compare, class T>
HWY_INLINE vector_of<T> exchange(held_lane<T>& lane, vector_of<T> reversed) {
  constexpr std::size_t half = width<T> * sizeof(T) / 2;
  const tag_of<T> d;
  const auto first = straightened<Compare, half>(d, earlier<Compare>(d, lane.held, reversed));
  lane.held = straightened<Compare, half>(d, later<Compare>(d, reversed, lane.held));
  return first;
}

/// Reads a vector of the range whose next key comes first, and writes a vector. No unread key comes
/// before the written ones.
///
/// Source: Inoue, Moriyama, Komatsu, Nakatani, "AA-Sort: A New Parallel Sorting Algorithm for
///         Multi-Core SIMD Processors", 2007.
template <class Compare, class T>
HWY_INLINE void merge_vector(held_lane<T>& lane) {
  const tag_of<T> d;
  const auto takes_b = static_cast<std::size_t>(Compare()(*lane.b, *lane.a));
  const T* const from = takes_b != 0 ? lane.b : lane.a;
  const auto next = hn::Reverse(d, hn::LoadU(d, from));
  lane.b += takes_b * width<T>;
  lane.a += (1 - takes_b) * width<T>;
  hn::StoreU(exchange<Compare>(lane, next), d, lane.out);
  lane.out += width<T>;
}

/// Advances all lanes alternately: each step of one lane waits for that lane's previous step. Runs
/// while all lanes can read full vectors.
template <class Compare, class... Lanes>
HWY_INLINE void merge_vectors(Lanes&... lanes) {
  while (const std::size_t num_steps = std::min({lanes.num_steps()...})) {
    for (std::size_t i = 0; i < num_steps; ++i) {
      (merge_vector<Compare>(lanes), ...);
    }
  }
}

/// As merge_vector, for a lane that may have less than a vector to read, and has `num_unwritten`
/// keys to write. Missing keys are filled with keys that come after all others; in the held vector
/// these are the last ones.
template <class Compare, class T>
HWY_INLINE void merge_last(held_lane<T>& lane, std::size_t& num_unwritten) {
  constexpr T last = behind_all<Compare, T>();
  const tag_of<T> d;
  const T a_key = *(lane.a != lane.a_end ? lane.a : &last);
  const T b_key = *(lane.b != lane.b_end ? lane.b : &last);
  const bool takes_b = (lane.b != lane.b_end) & ((lane.a == lane.a_end) | Compare()(b_key, a_key));
  const T* const from = takes_b ? lane.b : lane.a;
  const T* const from_end = takes_b ? lane.b_end : lane.a_end;
  const std::size_t num_read = std::min(static_cast<std::size_t>(from_end - from), width<T>);
  const auto is_read = hn::FirstN(d, num_read);
  const auto next = hn::IfThenElse(is_read, hn::MaskedLoad(is_read, d, from), hn::Set(d, last));
  lane.b += takes_b ? num_read : 0;
  lane.a += takes_b ? 0 : num_read;
  const std::size_t num_written = std::min(num_unwritten, width<T>);
  hn::BlendedStore(
      exchange<Compare>(lane, hn::Reverse(d, next)), hn::FirstN(d, num_written), d, lane.out);
  lane.out += num_written;
  num_unwritten -= num_written;
}

template <class Compare, std::size_t... i, class... Lanes>
HWY_INLINE void end_together(std::index_sequence<i...> /*numbers*/, Lanes&&... lanes) {
  std::array num_unwritten{
      (lanes.unread().size() + hn::Lanes(hn::DFromV<decltype(lanes.held)>()))...};
  while ((num_unwritten[i] | ...) != 0) {
    (merge_last<Compare>(lanes, num_unwritten[i]), ...);
  }
}

/// Finishes one lane: first with vectors, then the keys that vectors cannot read, which may be
/// many.
template <class Compare, class T>
void finish(held_lane<T> lane) {
  merge_vectors<Compare>(lane);
  if (lane.ends_soon()) {
    end_together<Compare>(std::index_sequence<0>(), held_lane<T>(lane));
    return;
  }
  alignas(64) std::array<T, width<T>> held;
  hn::Store(lane.held, tag_of<T>(), held.data());
  merge_held<Compare>(held, lane.unread());
}

template <class Compare, class T>
void merge_one(const key_pieces<T>& in) {
  if (in.a_size < width<T>) {
    merge_few<Compare>(in.a, in.a_size, in.b, in.b_size, in.out);
  } else {
    finish<Compare>(held_from(in));
  }
}

/// Finishes lanes together if they all end soon, else one by one.
template <class Compare, class... Lanes>
void finish_all(const Lanes&... lanes) {
  if ((lanes.ends_soon() && ...)) {
    end_together<Compare>(std::index_sequence_for<Lanes...>(), Lanes(lanes)...);
  } else {
    (finish<Compare>(lanes), ...);
  }
}

/// Merges four pieces at once.
template <class Compare, class T>
void merge_four(const key_pieces<T>& in) {
  constexpr std::size_t num_lanes = 4;
  const std::size_t size = in.size() / num_lanes;
  std::array<key_pieces<T>, num_lanes> pieces{};
  Compare comp;
  merge_cut before;
  bool has_vectors = true;
  for (std::size_t i = 0; i < num_lanes; ++i) {
    const std::size_t last = i + 1 == num_lanes ? in.size() : (i + 1) * size;
    // Each cut is searched from the front, so that no search waits for another one. In unsorted
    // input a cut may lie before the previous one.
    const std::size_t from_a =
        std::clamp(in.cut_behind({}, last, comp).a, before.a, last - before.b);
    const merge_cut next{from_a, last - from_a};
    pieces[i] = in.between(before, next);
    has_vectors &= pieces[i].a_size >= width<T>;
    before = next;
  }
  if (!has_vectors) {
    for (const key_pieces<T>& each : pieces) {
      merge_one<Compare>(each);
    }
    return;
  }
  auto p = held_from(pieces[0]);
  auto q = held_from(pieces[1]);
  auto r = held_from(pieces[2]);
  auto s = held_from(pieces[3]);
  merge_vectors<Compare>(p, q, r, s);
  // Copies of the lanes: the code above then keeps them in registers, since nothing takes their
  // address.
  finish_all<Compare>(held_lane<T>(p), held_lane<T>(q), held_lane<T>(r), held_lane<T>(s));
}

template <class Compare, class T>
void merge_any(const key_pieces<T>& in) {
  constexpr std::size_t four_from = 32 * width<T>;
  if (in.size() < four_from) {
    merge_one<Compare>(in);
  } else {
    merge_four<Compare>(in);
  }
}

/// Merges zeros separately, since the kernels do not distinguish 0.0 from -0.0. In either sort
/// order, the bits of floating-point numbers as integers fall before the zeros and rise after them.
template <class Compare, class T>
void merge_block(const key_pieces<T>& in) {
  if constexpr (goes_by_bits<T>) {
    const auto [zeros, behind] = zeros_of<Compare>(in);
    merge_any<compare_bits<std::greater<>>>(in.between({}, zeros));
    copy_zeros(in.between(zeros, behind));
    merge_any<compare_bits<std::less<>>>(in.between(behind, {in.a_size, in.b_size}));
  } else {
    merge_any<Compare>(in);
    if constexpr (std::is_floating_point_v<T>) {
      const auto [zeros, behind] = zeros_of<Compare>(in);
      copy_zeros(in.between(zeros, behind));
    }
  }
}

/// Merges block by block; a cache holds a block with all its pieces.
template <class Compare, class T>
void merge_blocks(const key_pieces<T>& all, std::size_t first, std::size_t last) {
  constexpr std::size_t block = std::size_t{1} << 14U;
  Compare comp;
  merge_cut before = all.cut_behind({}, first, comp);
  while (first != last) {
    first += std::min(block, last - first);
    const merge_cut next = all.cut_behind(before, first, comp);
    merge_block<Compare>(all.between(before, next));
    before = next;
  }
}

bool merge_keys(
    const key_lane& all, std::size_t first, std::size_t last, key_kind kind, key_order order) {
  return with_key_type(kind, [=, &all]<class Key>() {
    if constexpr (sizeof(Key) >= 4) {
      const key_pieces<Key> typed = typed_pieces<Key>(all);
      if (order == key_order::ascending) {
        merge_blocks<std::less<>>(typed, first, last);
      } else {
        merge_blocks<std::greater<>>(typed, first, last);
      }
      return true;
    } else {
      return false;
    }
  });
}

#else

bool merge_keys(const key_lane& /*all*/,
                std::size_t /*first*/,
                std::size_t /*last*/,
                key_kind /*kind*/,
                key_order /*order*/) {
  return false;
}

#endif

}  // namespace
}  // namespace weft::algorithms::detail::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::algorithms::detail {
namespace {

HWY_EXPORT(merge_keys);

}  // namespace

bool vector_merge(const key_lane& all,
                  std::size_t first,
                  std::size_t last,
                  key_kind kind,
                  key_order order) noexcept {
  return HWY_DYNAMIC_DISPATCH(merge_keys)(all, first, last, kind, order);
}

}  // namespace weft::algorithms::detail
#endif

#else
namespace weft::algorithms::detail {

bool vector_merge(const key_lane& /*all*/,
                  std::size_t /*first*/,
                  std::size_t /*last*/,
                  key_kind /*kind*/,
                  key_order /*order*/) noexcept {
  return false;
}

}  // namespace weft::algorithms::detail
#endif
