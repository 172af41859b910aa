// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging of sorted numbers: a vector of them at a time, through networks that know no branches.
#include "weft/algorithms/detail/vector_merge.hpp"

#include <algorithm>  // IWYU pragma: keep: for targets with vectors, as all here
#include <array>      // IWYU pragma: keep
#include <cstddef>
#include <functional>   // IWYU pragma: keep
#include <type_traits>  // IWYU pragma: keep
#include <utility>      // IWYU pragma: keep

#include "weft/algorithms/detail/merge_path.hpp"   // IWYU pragma: keep
#include "weft/algorithms/detail/number_bits.hpp"  // IWYU pragma: keep
#include "weft/algorithms/detail/vector_sort.hpp"

#include "algorithms/key_kinds.hpp"  // IWYU pragma: keep

#ifndef WEFT_ALGORITHMS_MERGE_ONCE  // Highway includes this file once for every target
#define WEFT_ALGORITHMS_MERGE_ONCE
namespace weft::algorithms::detail {
namespace {

template <class T>
using key_pieces = merge_lane<const T*, const T*, T*>;

/// How many elements of each range lie in front of a place of their merge.
struct merge_cut {
  std::size_t a = 0;
  std::size_t b = 0;
};

/// The cut at a place behind another one; also of ranges that are not sorted one that lies behind.
template <class Compare, class T>
[[maybe_unused]] merge_cut cut_behind(const key_pieces<T>& in, merge_cut before, std::size_t rank) {
  Compare comp;
  const std::size_t from_a =
      std::clamp(co_rank(rank, in.a, in.a_size, in.b, in.b_size, comp), before.a, rank - before.b);
  return {.a = from_a, .b = rank - from_a};
}

template <class T>
[[maybe_unused]] key_pieces<T> between(const key_pieces<T>& in, merge_cut first, merge_cut last) {
  return {in.a + first.a,
          last.a - first.a,
          in.b + first.b,
          last.b - first.b,
          in.out + first.a + first.b};
}

/// How many in front come before `key`: soon known if they are few.
template <class Compare, class T>
[[maybe_unused]] std::size_t num_before(const T* keys, std::size_t n, T key) {
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
[[maybe_unused]] T* merge_few(
    const T* few, std::size_t num_few, const T* rest, std::size_t num_rest, T* out) {
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
    if (from_rest == steps && num_rest != 0) {  // so it may go on for long
      const std::size_t run = num_before<Compare>(rest, num_rest, *few);
      out = std::copy_n(rest, run, out);
      rest += run;
      num_rest -= run;
    }
  }
  return std::copy_n(rest, num_rest, std::copy_n(few, num_few, out));
}

/// Where zeros begin in both ranges, and where they end.
template <class Compare, class T>
[[maybe_unused]] std::array<merge_cut, 2> zeros_of(const key_pieces<T>& in) {
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

/// Each zero with its sign.
template <class T>
[[maybe_unused]] void copy_zeros(const key_pieces<T>& zeros) {
  std::copy_n(zeros.b, zeros.b_size, std::copy_n(zeros.a, zeros.a_size, zeros.out));
}

}  // namespace
}  // namespace weft::algorithms::detail
#endif

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

/// Of two keys of which neither comes before the other each gets one, whatever they are.
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

/// Each lane gets the one so many bytes away, of pairs of groups as wide as that.
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

/// The second group of each pair from `second`, the first from `first`.
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

/// Sorts keys that rise and then fall, or the other way round, within pairs of groups that are
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

/// A merge of which one vector, sorted, is held back: nothing that was written comes behind it.
template <class T>
struct held_lane {
  key_pieces<T> left;
  vector_of<T> held;

  /// So many vectors can be read whichever range they come from.
  [[nodiscard]] HWY_INLINE std::size_t num_steps() const {
    return std::min(left.a_size, left.b_size) / width<T>;
  }
};

template <class T>
HWY_INLINE held_lane<T> held_from(const key_pieces<T>& in) {
  return {.left = {in.a + width<T>, in.a_size - width<T>, in.b, in.b_size, in.out},
          .held = hn::LoadU(tag_of<T>(), in.a)};
}

/// Reads a vector of the range whose next key comes first, and writes one: none of what is unread
/// belongs in front of it.
///
/// Source: Inoue, Moriyama, Komatsu, Nakatani, "AA-Sort: A New Parallel Sorting Algorithm for
///         Multi-Core SIMD Processors", 2007.
template <class Compare, class T>
HWY_INLINE void merge_vector(held_lane<T>& lane) {
  constexpr std::size_t half = width<T> * sizeof(T) / 2;
  const tag_of<T> d;
  const auto takes_b = static_cast<std::size_t>(Compare()(*lane.left.b, *lane.left.a));
  const T* const from = takes_b != 0 ? lane.left.b : lane.left.a;
  const auto next = hn::Reverse(d, hn::LoadU(d, from));
  lane.left.b += takes_b * width<T>;
  lane.left.a += (1 - takes_b) * width<T>;
  hn::StoreU(
      straightened<Compare, half>(d, earlier<Compare>(d, lane.held, next)), d, lane.left.out);
  lane.held = straightened<Compare, half>(d, later<Compare>(d, next, lane.held));
  lane.left.out += width<T>;
}

/// Takes note of what `num_steps` steps read.
template <class T>
HWY_INLINE void settle(held_lane<T>& lane, const T* a_before, std::size_t num_steps) {
  const auto from_a = static_cast<std::size_t>(lane.left.a - a_before);
  lane.left.a_size -= from_a;
  lane.left.b_size -= num_steps * width<T> - from_a;
}

/// Ends a lane alone: first with vectors, then what they cannot read.
template <class Compare, class T>
void finish(const held_lane<T>& from) {
  held_lane<T> lane = from;
  while (const std::size_t num_steps = lane.num_steps()) {
    const T* const a_before = lane.left.a;
    for (std::size_t i = 0; i < num_steps; ++i) {
      merge_vector<Compare>(lane);
    }
    settle(lane, a_before, num_steps);
  }
  alignas(64) std::array<T, width<T>> held;
  std::array<T, 2 * width<T>> few;
  hn::Store(lane.held, tag_of<T>(), held.data());
  key_pieces<T>& left = lane.left;
  if (left.b_size < left.a_size) {
    std::swap(left.a, left.b);
    std::swap(left.a_size, left.b_size);
  }
  const T* const end =
      merge_few<Compare>(left.a, left.a_size, held.data(), held.size(), few.data());
  merge_few<Compare>(
      few.data(), static_cast<std::size_t>(end - few.data()), left.b, left.b_size, left.out);
}

template <class Compare, class T>
void merge_one(const key_pieces<T>& in) {
  if (in.a_size < width<T>) {
    merge_few<Compare>(in.a, in.a_size, in.b, in.b_size, in.out);
  } else {
    finish<Compare>(held_from(in));
  }
}

/// In four pieces at once, since each step of a piece waits for the one before it.
template <class Compare, class T>
void merge_four(const key_pieces<T>& in) {
  constexpr std::size_t num_lanes = 4;
  const std::size_t size = in.size() / num_lanes;
  std::array<key_pieces<T>, num_lanes> pieces{};
  merge_cut before;
  bool has_vectors = true;
  for (std::size_t i = 0; i < num_lanes; ++i) {
    const std::size_t last = i + 1 == num_lanes ? in.size() : (i + 1) * size;
    const merge_cut next = cut_behind<Compare>(in, before, last);
    pieces[i] = between(in, before, next);
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
  while (const std::size_t num_steps =
             std::min({p.num_steps(), q.num_steps(), r.num_steps(), s.num_steps()})) {
    const std::array<const T*, num_lanes> a_before{p.left.a, q.left.a, r.left.a, s.left.a};
    for (std::size_t i = 0; i < num_steps; ++i) {
      merge_vector<Compare>(p);
      merge_vector<Compare>(q);
      merge_vector<Compare>(r);
      merge_vector<Compare>(s);
    }
    settle(p, a_before[0], num_steps);
    settle(q, a_before[1], num_steps);
    settle(r, a_before[2], num_steps);
    settle(s, a_before[3], num_steps);
  }
  // Copies: nobody has the address of a lane then, and it stays in registers above.
  finish<Compare>(held_lane<T>(p));
  finish<Compare>(held_lane<T>(q));
  finish<Compare>(held_lane<T>(r));
  finish<Compare>(held_lane<T>(s));
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

/// Zeros apart: the kernels do not tell 0.0 from -0.0. Whichever way floating-point numbers are
/// sorted, their bits as a number fall in front of the zeros, and rise behind them.
template <class Compare, class T>
void merge_block(const key_pieces<T>& in) {
  if constexpr (goes_by_bits<T>) {
    const auto [zeros, behind] = zeros_of<Compare>(in);
    merge_any<compare_bits<std::greater<>>>(between(in, {}, zeros));
    copy_zeros(between(in, zeros, behind));
    merge_any<compare_bits<std::less<>>>(between(in, behind, {in.a_size, in.b_size}));
  } else {
    merge_any<Compare>(in);
    if constexpr (std::is_floating_point_v<T>) {
      const auto [zeros, behind] = zeros_of<Compare>(in);
      copy_zeros(between(in, zeros, behind));
    }
  }
}

/// Block by block, which a cache holds with all its pieces.
template <class Compare, class T>
void merge_blocks(const key_pieces<T>& all, std::size_t first, std::size_t last) {
  constexpr std::size_t block = std::size_t{1} << 14U;
  merge_cut before = cut_behind<Compare>(all, {}, first);
  while (first != last) {
    first += std::min(block, last - first);
    const merge_cut next = cut_behind<Compare>(all, before, first);
    merge_block<Compare>(between(all, before, next));
    before = next;
  }
}

bool merge_keys(
    const key_lane& all, std::size_t first, std::size_t last, key_kind kind, key_order order) {
  return with_key_type(kind, [=, &all]<class Key>() {
    if constexpr (sizeof(Key) >= 4) {
      const key_pieces<Key> typed{static_cast<const Key*>(all.a),
                                  all.a_size,
                                  static_cast<const Key*>(all.b),
                                  all.b_size,
                                  static_cast<Key*>(all.out)};
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
