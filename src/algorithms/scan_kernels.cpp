// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running sums of numbers. Sums are formed within a vector first, so that only one addition per
// vector waits for the vectors before it.
#include "weft/algorithms/detail/kernels/scan_kernels.hpp"

#include <algorithm>  // IWYU pragma: keep: for targets with vectors
#include <array>      // IWYU pragma: keep: for targets with vectors
#include <bit>        // IWYU pragma: keep: for targets with vectors
#include <cstddef>
#include <cstdint>
#include <type_traits>  // IWYU pragma: keep: for targets without doubles

#include "weft/algorithms/detail/kernels/number_kernels.hpp"  // IWYU pragma: keep: for targets with vectors

#ifndef WEFT_ALGORITHMS_SCAN_ONCE  // Highway includes this file once for every target
#define WEFT_ALGORITHMS_SCAN_ONCE
namespace weft::algorithms::detail::kernels {
namespace {

/// Sums the last few numbers, or all if the target has no vectors.
template <bool is_inclusive, class Number>
[[maybe_unused]] Number sums_one_by_one(const scan_range<Number>& range,
                                        std::size_t first,
                                        Number sum) {
  for (std::size_t i = first; i < range.n; ++i) {
    const auto next = static_cast<Number>(sum + range.from[i]);
    range.to[i] = is_inclusive ? next : sum;
    sum = next;
  }
  return sum;
}

}  // namespace
}  // namespace weft::algorithms::detail::kernels
#endif

#if defined(WEFT_HAS_HIGHWAY)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/scan_kernels.cpp"  // NOLINT: Highway's own name
#include <hwy/base.h>
#include <hwy/detect_targets.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weft::algorithms::detail::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
template <bool is_inclusive, bool is_past_caches, class T>
T sums(const scan_range<T>& range, T before, sum_ahead<T>& /*next*/) {
  return sums_one_by_one<is_inclusive>(range, 0, before);
}
#else
/// At most 64 bytes: four blocks of 16, within which lanes are shifted.
template <class T>
inline constexpr std::size_t most_lanes = 64 / sizeof(T);
template <class T>
inline constexpr std::size_t lanes_of_block = 16 / sizeof(T);

/// For each lane, the index of another lane or none.
template <class T>
class lane_choice {
 public:
  using tag = hn::CappedTag<T, most_lanes<T>>;
  static constexpr int none = -1;

  template <class Choose>
  HWY_INLINE explicit lane_choice(Choose choose) {
    using index = hwy::MakeSigned<T>;
    alignas(64) std::array<index, most_lanes<T>> from{};
    alignas(64) std::array<T, most_lanes<T>> is_there{};
    for (std::size_t i = 0; i < hn::Lanes(tag()); ++i) {
      const int chosen = choose(static_cast<int>(i));
      from[i] = chosen == none ? 0 : static_cast<index>(chosen);
      is_there[i] = chosen == none ? T{0} : T{1};
    }
    indices_ = from;
    is_there_ = is_there;
  }
  [[nodiscard]] HWY_INLINE auto indices() const {
    return hn::SetTableIndices(tag(), indices_.data());
  }
  [[nodiscard]] HWY_INLINE auto mask() const {
    return hn::Ne(hn::Load(tag(), is_there_.data()), hn::Zero(tag()));
  }

 private:
  alignas(64) std::array<hwy::MakeSigned<T>, most_lanes<T>> indices_;
  alignas(64) std::array<T, most_lanes<T>> is_there_;
};

/// Returns the lanes shifted by `n` places within each block, with `nothing_to_add` in the first
/// places.
template <int n, class D, class V>
HWY_INLINE V shifted_in_blocks(D d, V v) {
  const V shifted = hn::ShiftLeftLanes<n>(d, v);
  if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
    const V nothing = hn::Set(d, nothing_to_add<hn::TFromD<D>>);
    return hn::Or(shifted, hn::AndNot(hn::ShiftLeftLanes<n>(d, nothing), nothing));
  } else {
    return shifted;
  }
}

/// Returns the lanes of `v` where the mask is set, and `nothing_to_add` elsewhere.
template <class D, class M, class V>
HWY_INLINE V masked_sums(D d, M mask, V v) {
  if constexpr (std::is_floating_point_v<hn::TFromD<D>>) {
    return hn::IfThenElse(mask, v, hn::Set(d, nothing_to_add<hn::TFromD<D>>));
  } else {
    return hn::IfThenElseZero(mask, v);
  }
}

/// The sums within each block of a vector.
template <class D, class V>
HWY_INLINE V sums_in_blocks(D d, V v) {
  v = hn::Add(v, shifted_in_blocks<1>(d, v));
  if constexpr (lanes_of_block<hn::TFromD<D>> == 4) {
    v = hn::Add(v, shifted_in_blocks<2>(d, v));
  }
  return v;
}

/// Adds the next numbers that fill a line. Two sums, so that not every addition waits for the
/// previous one.
template <class D, class V>
HWY_INLINE void add_line(D d, const hn::TFromD<D>* line, V& even, V& odd) {
  constexpr std::size_t line_lanes = most_lanes<hn::TFromD<D>>;
  const std::size_t lanes = hn::Lanes(d);
  even = hn::Add(even, hn::LoadU(d, line));
  for (std::size_t k = lanes; k < line_lanes; k += 2 * lanes) {
    odd = hn::Add(odd, hn::LoadU(d, line + k));
    if (k + lanes < line_lanes) {
      even = hn::Add(even, hn::LoadU(d, line + k + lanes));
    }
  }
}

/// Prefetches a line after the one being summed; `n` numbers remain to be summed. The processor's
/// own prefetcher stops at the end of a page. Of the distances from 512 B to 4 KiB, 2 and 3 KiB
/// were best, by a twelfth.
template <class T>
HWY_INLINE void fetch_ahead(const T* line, std::size_t n) {
  constexpr std::size_t distance = 2048 / sizeof(T);
  if (n > distance) {
    __builtin_prefetch(line + distance);
  }
}

/// Returns how many numbers come before the next cache line begins: a load across two lines costs
/// as much as two loads.
template <class T>
HWY_INLINE std::size_t num_before_line(const T* to) {
  // The address as a number: only the distance to the next line is needed.
  const std::size_t past = std::bit_cast<std::uintptr_t>(to) % 64;
  return past == 0 ? 0 : (64 - past) / sizeof(T);
}

template <bool is_past_caches, class D, class V>
HWY_INLINE void store_sums(D d, V v, hn::TFromD<D>* to) {
  if constexpr (is_past_caches) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

/// For the lanes of a vector, the lanes that hold the sums in front of them.
template <class T>
struct front_lanes {
  static constexpr int block = static_cast<int>(lanes_of_block<T>);
  lane_choice<T> one;  // for every second block, the end of the block in front
  lane_choice<T> two;  // the end of the two blocks in front
  lane_choice<T> in_front;
  lane_choice<T> last;

  // no default initialisers: the compiler would compile them for no target
  HWY_INLINE front_lanes()
      : one([](int i) {
          const int b = i / block;
          return b % 2 == 1 ? b * block - 1 : lane_choice<T>::none;
        }),
        two([](int i) {
          const int b = i / block;
          return b / 2 % 2 == 1 ? b / 2 * 2 * block - 1 : lane_choice<T>::none;
        }),
        in_front([](int i) { return i - 1; }),
        last([](int) { return static_cast<int>(hn::Lanes(typename lane_choice<T>::tag())) - 1; }) {}
};

// NOLINTBEGIN(readability-function-size,readability-function-cognitive-complexity): vectors of a
// width known only at run time cannot be members. There are too many to pass them to a function.
/// With non-temporal stores, both ranges begin with a line.
template <bool is_inclusive, bool is_past_caches, class T>
HWY_INLINE T sums_by_vectors(const scan_range<T>& range, T before, sum_ahead<T>& next) {
  const typename lane_choice<T>::tag d;
  constexpr bool has_two_blocks = hn::MaxLanes(d) > lanes_of_block<T>;
  constexpr bool has_four_blocks = hn::MaxLanes(d) > 2 * lanes_of_block<T>;
  const std::size_t lanes = hn::Lanes(d);
  const front_lanes<T> choices;
  const auto one_from = choices.one.indices();
  const auto two_from = choices.two.indices();
  const auto front_from = choices.in_front.indices();
  const auto last_from = choices.last.indices();
  const auto one_mask = choices.one.mask();
  const auto two_mask = choices.two.mask();
  const auto front_mask = choices.in_front.mask();
  const T* const from = range.from;
  T* const to = range.to;
  const T* const next_from = next.from;
  auto sum = hn::Set(d, before);
  auto even = hn::Set(d, nothing_to_add<T>);
  auto odd = even;
  constexpr std::size_t line = most_lanes<T>;
  const std::size_t step = is_past_caches ? line : lanes;
  const std::size_t end = range.n / step * step;
  std::size_t ahead = next.num_summed;  // a local copy, since stores might alias the member
  const std::size_t last_ahead = ahead + (next.n - ahead) / line * line;
  std::size_t i = 0;
  while (i != end) {
    for (const std::size_t step_end = i + step; i != step_end; i += lanes) {
      const auto v = hn::LoadU(d, from + i);
      auto sums = sums_in_blocks(d, v);
      if constexpr (has_two_blocks) {
        sums = hn::Add(sums, masked_sums(d, one_mask, hn::TableLookupLanes(sums, one_from)));
      }
      if constexpr (has_four_blocks) {
        sums = hn::Add(sums, masked_sums(d, two_mask, hn::TableLookupLanes(sums, two_from)));
      }
      if constexpr (is_inclusive) {
        store_sums<is_past_caches>(d, hn::Add(sum, sums), to + i);
      } else if constexpr (std::is_floating_point_v<T>) {
        const auto shifted = masked_sums(d, front_mask, hn::TableLookupLanes(sums, front_from));
        store_sums<is_past_caches>(d, hn::Add(sum, shifted), to + i);
      } else {
        store_sums<is_past_caches>(d, hn::Add(sum, hn::Sub(sums, v)), to + i);
      }
      sum = hn::Add(sum, hn::TableLookupLanes(sums, last_from));
    }
    if constexpr (is_past_caches) {
      if (ahead != last_ahead) {
        fetch_ahead(next_from + ahead, last_ahead - ahead);
        add_line(d, next_from + ahead, even, odd);
        ahead += line;
      }
    }
  }
  if constexpr (is_past_caches) {
    next.num_summed = ahead;
    next.sum = static_cast<T>(next.sum + hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd))));
  }
  return sums_one_by_one<is_inclusive>(range, i, hn::GetLane(sum));
}
// NOLINTEND(readability-function-size,readability-function-cognitive-complexity)

template <bool is_inclusive, bool is_past_caches, class T>
HWY_INLINE T sums(const scan_range<T>& range, T before, sum_ahead<T>& next) {
  if constexpr (HWY_HAVE_FLOAT64 != 0 || !std::is_same_v<T, double>) {
    if constexpr (is_past_caches) {
      const std::size_t head = std::min(range.n, num_before_line(range.to));
      before = sums_one_by_one<is_inclusive>({range.from, range.to, head}, 0, before);
      next.num_summed = std::min(next.n, num_before_line(next.from));
      for (std::size_t k = 0; k != next.num_summed; ++k) {
        next.sum = static_cast<T>(next.sum + next.from[k]);
      }
      return sums_by_vectors<is_inclusive, true>(
          {range.from + head, range.to + head, range.n - head}, before, next);
    } else {
      return sums_by_vectors<is_inclusive, false>(range, before, next);
    }
  } else {
    return sums_one_by_one<is_inclusive>(range, 0, before);
  }
}
#endif

/// Whether the kernels have vectors and non-temporal stores.
template <class T>
inline constexpr bool do_pass_caches = HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 &&
                                       (HWY_HAVE_FLOAT64 != 0 || !std::is_same_v<T, double>);

#define WEFT_DEFINE_SCAN(number, name)                                           \
  number inclusive_sums_##name(const scan_range<number>& range, number before) { \
    sum_ahead<number> none;                                                      \
    return sums<true, false>(range, before, none);                               \
  }                                                                              \
  number exclusive_sums_##name(const scan_range<number>& range, number before) { \
    sum_ahead<number> none;                                                      \
    return sums<false, false>(range, before, none);                              \
  }                                                                              \
  number inclusive_sums_past_##name(                                             \
      const scan_range<number>& range, number before, sum_ahead<number>& next) { \
    return sums<true, true>(range, before, next);                                \
  }                                                                              \
  number exclusive_sums_past_##name(                                             \
      const scan_range<number>& range, number before, sum_ahead<number>& next) { \
    return sums<false, true>(range, before, next);                               \
  }                                                                              \
  bool sums_pass_caches_##name() { return do_pass_caches<number>; }

WEFT_DEFINE_SCAN(std::uint32_t, u32)
WEFT_DEFINE_SCAN(std::uint64_t, u64)
WEFT_DEFINE_SCAN(float, f32)
WEFT_DEFINE_SCAN(double, f64)

#undef WEFT_DEFINE_SCAN

}  // namespace weft::algorithms::detail::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::algorithms::detail::kernels {

#define WEFT_CHOOSE_SCAN(number, name)                                            \
  HWY_EXPORT(inclusive_sums_##name);                                              \
  HWY_EXPORT(exclusive_sums_##name);                                              \
  HWY_EXPORT(inclusive_sums_past_##name);                                         \
  HWY_EXPORT(exclusive_sums_past_##name);                                         \
  HWY_EXPORT(sums_pass_caches_##name);                                            \
  number inclusive_sums(const scan_range<number>& range, number before) {         \
    return HWY_DYNAMIC_DISPATCH(inclusive_sums_##name)(range, before);            \
  }                                                                               \
  number exclusive_sums(const scan_range<number>& range, number before) {         \
    return HWY_DYNAMIC_DISPATCH(exclusive_sums_##name)(range, before);            \
  }                                                                               \
  number inclusive_sums_past(                                                     \
      const scan_range<number>& range, number before, sum_ahead<number>& next) {  \
    return HWY_DYNAMIC_DISPATCH(inclusive_sums_past_##name)(range, before, next); \
  }                                                                               \
  number exclusive_sums_past(                                                     \
      const scan_range<number>& range, number before, sum_ahead<number>& next) {  \
    return HWY_DYNAMIC_DISPATCH(exclusive_sums_past_##name)(range, before, next); \
  }                                                                               \
  bool sums_pass_caches(number /*which*/) noexcept {                              \
    return HWY_DYNAMIC_DISPATCH(sums_pass_caches_##name)();                       \
  }

WEFT_CHOOSE_SCAN(std::uint32_t, u32)
WEFT_CHOOSE_SCAN(std::uint64_t, u64)
WEFT_CHOOSE_SCAN(float, f32)
WEFT_CHOOSE_SCAN(double, f64)

#undef WEFT_CHOOSE_SCAN

}  // namespace weft::algorithms::detail::kernels
#endif

#else
namespace weft::algorithms::detail::kernels {

#define WEFT_CHOOSE_SCAN(number)                                                     \
  number inclusive_sums(const scan_range<number>& range, number before) {            \
    return sums_one_by_one<true>(range, 0, before);                                  \
  }                                                                                  \
  number exclusive_sums(const scan_range<number>& range, number before) {            \
    return sums_one_by_one<false>(range, 0, before);                                 \
  }                                                                                  \
  number inclusive_sums_past(                                                        \
      const scan_range<number>& range, number before, sum_ahead<number>& /*next*/) { \
    return sums_one_by_one<true>(range, 0, before);                                  \
  }                                                                                  \
  number exclusive_sums_past(                                                        \
      const scan_range<number>& range, number before, sum_ahead<number>& /*next*/) { \
    return sums_one_by_one<false>(range, 0, before);                                 \
  }                                                                                  \
  bool sums_pass_caches(number /*which*/) noexcept { return false; }

WEFT_CHOOSE_SCAN(std::uint32_t)
WEFT_CHOOSE_SCAN(std::uint64_t)
WEFT_CHOOSE_SCAN(float)
WEFT_CHOOSE_SCAN(double)

#undef WEFT_CHOOSE_SCAN

}  // namespace weft::algorithms::detail::kernels
#endif
