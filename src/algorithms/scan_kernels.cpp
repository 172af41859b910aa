// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running sums of numbers: within a vector first, so that one addition in a vector waits for those
// before it.
#include "weft/algorithms/detail/scan_kernels.hpp"

#include <array>  // IWYU pragma: keep: for targets with vectors
#include <cstddef>
#include <cstdint>
#include <type_traits>  // IWYU pragma: keep: for targets without doubles

#include "weft/algorithms/detail/number_kernels.hpp"  // IWYU pragma: keep: for targets with vectors

#ifndef WEFT_ALGORITHMS_SCAN_ONCE  // Highway includes this file once for every target
#define WEFT_ALGORITHMS_SCAN_ONCE
namespace weft::algorithms::detail::kernels {
namespace {

/// The last few numbers, or all where there are no vectors.
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
template <bool is_inclusive, class T>
T sums(const scan_range<T>& range, T before) {
  return sums_one_by_one<is_inclusive>(range, 0, before);
}
#else
/// At most 64 bytes: four blocks of 16, within which lanes are shifted.
template <class T>
inline constexpr std::size_t most_lanes = 64 / sizeof(T);
template <class T>
inline constexpr std::size_t lanes_of_block = 16 / sizeof(T);

/// For each lane another one, or none.
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

/// The lanes `n` places on in each block, and nothing to add in the first ones.
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

/// The lanes of `v` where the mask is set, else nothing to add.
template <class D, class M, class V>
HWY_INLINE V those_in(D d, M mask, V v) {
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

template <bool is_inclusive, class T>
HWY_INLINE T sums_by_vectors(const scan_range<T>& range, T before) {
  const typename lane_choice<T>::tag d;
  constexpr int block = static_cast<int>(lanes_of_block<T>);
  constexpr bool has_two_blocks = hn::MaxLanes(d) > lanes_of_block<T>;
  constexpr bool has_four_blocks = hn::MaxLanes(d) > 2 * lanes_of_block<T>;
  const std::size_t lanes = hn::Lanes(d);
  const auto last_lane = static_cast<int>(lanes) - 1;
  // The end of the block in front, for every second one; then that of the two in front.
  const lane_choice<T> one([](int i) {
    const int b = i / block;
    return b % 2 == 1 ? b * block - 1 : lane_choice<T>::none;
  });
  const lane_choice<T> two([](int i) {
    const int b = i / block;
    return b / 2 % 2 == 1 ? b / 2 * 2 * block - 1 : lane_choice<T>::none;
  });
  const lane_choice<T> in_front([](int i) { return i - 1; });
  const lane_choice<T> last([last_lane](int) { return last_lane; });
  const auto one_from = one.indices();
  const auto two_from = two.indices();
  const auto front_from = in_front.indices();
  const auto last_from = last.indices();
  const auto one_mask = one.mask();
  const auto two_mask = two.mask();
  const auto front_mask = in_front.mask();

  auto sum = hn::Set(d, before);
  std::size_t i = 0;
  for (; range.n - i >= lanes; i += lanes) {
    const auto v = hn::LoadU(d, range.from + i);
    auto sums = sums_in_blocks(d, v);
    if constexpr (has_two_blocks) {
      sums = hn::Add(sums, those_in(d, one_mask, hn::TableLookupLanes(sums, one_from)));
    }
    if constexpr (has_four_blocks) {
      sums = hn::Add(sums, those_in(d, two_mask, hn::TableLookupLanes(sums, two_from)));
    }
    if constexpr (is_inclusive) {
      hn::StoreU(hn::Add(sum, sums), d, range.to + i);
    } else if constexpr (std::is_floating_point_v<T>) {
      const auto shifted = those_in(d, front_mask, hn::TableLookupLanes(sums, front_from));
      hn::StoreU(hn::Add(sum, shifted), d, range.to + i);
    } else {
      hn::StoreU(hn::Add(sum, hn::Sub(sums, v)), d, range.to + i);
    }
    sum = hn::Add(sum, hn::TableLookupLanes(sums, last_from));
  }
  return sums_one_by_one<is_inclusive>(range, i, hn::GetLane(sum));
}

template <bool is_inclusive, class T>
HWY_INLINE T sums(const scan_range<T>& range, T before) {
  if constexpr (HWY_HAVE_FLOAT64 != 0 || !std::is_same_v<T, double>) {
    return sums_by_vectors<is_inclusive>(range, before);
  } else {
    return sums_one_by_one<is_inclusive>(range, 0, before);
  }
}
#endif

#define WEFT_DEFINE_SCAN(number, name)                                           \
  number inclusive_sums_##name(const scan_range<number>& range, number before) { \
    return sums<true>(range, before);                                            \
  }                                                                              \
  number exclusive_sums_##name(const scan_range<number>& range, number before) { \
    return sums<false>(range, before);                                           \
  }

WEFT_DEFINE_SCAN(std::uint32_t, u32)
WEFT_DEFINE_SCAN(std::uint64_t, u64)
WEFT_DEFINE_SCAN(float, f32)
WEFT_DEFINE_SCAN(double, f64)

#undef WEFT_DEFINE_SCAN

}  // namespace weft::algorithms::detail::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::algorithms::detail::kernels {

#define WEFT_CHOOSE_SCAN(number, name)                                    \
  HWY_EXPORT(inclusive_sums_##name);                                      \
  HWY_EXPORT(exclusive_sums_##name);                                      \
  number inclusive_sums(const scan_range<number>& range, number before) { \
    return HWY_DYNAMIC_DISPATCH(inclusive_sums_##name)(range, before);    \
  }                                                                       \
  number exclusive_sums(const scan_range<number>& range, number before) { \
    return HWY_DYNAMIC_DISPATCH(exclusive_sums_##name)(range, before);    \
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

#define WEFT_CHOOSE_SCAN(number)                                          \
  number inclusive_sums(const scan_range<number>& range, number before) { \
    return sums_one_by_one<true>(range, 0, before);                       \
  }                                                                       \
  number exclusive_sums(const scan_range<number>& range, number before) { \
    return sums_one_by_one<false>(range, 0, before);                      \
  }

WEFT_CHOOSE_SCAN(std::uint32_t)
WEFT_CHOOSE_SCAN(std::uint64_t)
WEFT_CHOOSE_SCAN(float)
WEFT_CHOOSE_SCAN(double)

#undef WEFT_CHOOSE_SCAN

}  // namespace weft::algorithms::detail::kernels
#endif
