// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over contiguous numbers, compiled for every instruction set that Highway knows.
#if defined(WEFT_HAS_HIGHWAY)

#include "weft/algorithms/detail/number_kernels.hpp"

#include <cstddef>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/number_kernels.cpp"  // NOLINT: Highway's own name
#include <hwy/base.h>
#include <hwy/detect_targets.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "algorithms/number_kernel_macros.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::algorithms::detail::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Number>
struct equal_to_value {
  const Number* data;
  Number value;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::Eq(hn::LoadU(d, data + i), hn::Set(d, value));
  }
  HWY_INLINE bool one(std::size_t i) const { return data[i] == value; }
};

template <class Number>
struct pair_equal {
  const Number* a;
  const Number* b;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::Eq(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
  }
  HWY_INLINE bool one(std::size_t i) const { return a[i] == b[i]; }
};

template <class Number>
struct pair_different {
  const Number* a;
  const Number* b;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::Ne(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
  }
  HWY_INLINE bool one(std::size_t i) const { return a[i] != b[i]; }
};

template <class Number>
struct ends_equal {
  const Number* data;
  const Number* far;
  Number front;
  Number back;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::And(hn::Eq(hn::LoadU(d, data + i), hn::Set(d, front)),
                   hn::Eq(hn::LoadU(d, far + i), hn::Set(d, back)));
  }
  HWY_INLINE bool one(std::size_t i) const { return data[i] == front && far[i] == back; }
};

template <class Number>
struct pair_less {
  const Number* a;
  const Number* b;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::Lt(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
  }
  HWY_INLINE bool one(std::size_t i) const { return a[i] < b[i]; }
};

/// The first position that passes: four vectors are looked at between two branches.
template <class Number, class Test>
HWY_INLINE std::size_t first_that(std::size_t n, Test test) {
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; n - i >= 4 * lanes; i += 4 * lanes) {
    const auto front = hn::Or(test.lanes(d, i), test.lanes(d, i + lanes));
    const auto back = hn::Or(test.lanes(d, i + 2 * lanes), test.lanes(d, i + 3 * lanes));
    if (!hn::AllFalse(d, hn::Or(front, back))) {
      break;
    }
  }
  for (; n - i >= lanes; i += lanes) {
    const std::intptr_t hit = hn::FindFirstTrue(d, test.lanes(d, i));
    if (hit >= 0) {
      return i + static_cast<std::size_t>(hit);
    }
  }
  while (i < n && !test.one(i)) {
    ++i;
  }
  return i;
}

/// Behind the last position that passes, or 0: as `first_that`, from the back.
template <class Number, class Test>
HWY_INLINE std::size_t behind_last_that(std::size_t n, Test test) {
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  for (; n >= 4 * lanes; n -= 4 * lanes) {
    const std::size_t i = n - 4 * lanes;
    const auto front = hn::Or(test.lanes(d, i), test.lanes(d, i + lanes));
    const auto back = hn::Or(test.lanes(d, i + 2 * lanes), test.lanes(d, i + 3 * lanes));
    if (!hn::AllFalse(d, hn::Or(front, back))) {
      break;
    }
  }
  while (n != 0 && !test.one(n - 1)) {
    --n;
  }
  return n;
}

/// How many positions pass.
template <class Number>
HWY_INLINE std::size_t how_many_equal(const Number* data, std::size_t n, Number value) {
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  const equal_to_value<Number> test{data, value};
  std::size_t count = 0;
  std::size_t i = 0;
  for (; n - i >= 4 * lanes; i += 4 * lanes) {
    count += hn::CountTrue(d, test.lanes(d, i)) + hn::CountTrue(d, test.lanes(d, i + lanes)) +
             hn::CountTrue(d, test.lanes(d, i + 2 * lanes)) +
             hn::CountTrue(d, test.lanes(d, i + 3 * lanes));
  }
  for (; i < n; ++i) {
    count += test.one(i) ? 1U : 0U;
  }
  return count;
}

struct lesser {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Min(a, b);
  }
  template <class Number>
  HWY_INLINE static Number one(Number a, Number b) {
    return b < a ? b : a;
  }
  template <class D, class V>
  HWY_INLINE static auto across(D d, V v) {
    return hn::GetLane(hn::MinOfLanes(d, v));
  }
};

struct greater {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Max(a, b);
  }
  template <class Number>
  HWY_INLINE static Number one(Number a, Number b) {
    return a < b ? b : a;
  }
  template <class D, class V>
  HWY_INLINE static auto across(D d, V v) {
    return hn::GetLane(hn::MaxOfLanes(d, v));
  }
};

struct add {
  template <class V>
  HWY_INLINE V operator()(V a, V b) const {
    return hn::Add(a, b);
  }
  template <class Number>
  HWY_INLINE static Number one(Number a, Number b) {
    return static_cast<Number>(a + b);
  }
  template <class D, class V>
  HWY_INLINE static auto across(D d, V v) {
#if HWY_TARGET == HWY_EMU128  // there Highway begins with +0, which a sum of -0 is not
    auto sum = hn::ExtractLane(v, 0);
    for (std::size_t i = 1; i < hn::Lanes(d); ++i) {
      sum = one(sum, hn::ExtractLane(v, i));
    }
    return sum;
#else
    return hn::GetLane(hn::SumOfLanes(d, v));
#endif
  }
};

/// All of them joined, in eight vectors at a time: that hides the latency of an addition.
template <class Number, class Join>
HWY_INLINE Number joined(const Number* data, std::size_t n, Number first, Join join) {
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  Number total = first;
  std::size_t i = 0;
  if (n >= 8 * lanes) {
    auto s0 = hn::LoadU(d, data), s1 = hn::LoadU(d, data + lanes);
    auto s2 = hn::LoadU(d, data + 2 * lanes), s3 = hn::LoadU(d, data + 3 * lanes);
    auto s4 = hn::LoadU(d, data + 4 * lanes), s5 = hn::LoadU(d, data + 5 * lanes);
    auto s6 = hn::LoadU(d, data + 6 * lanes), s7 = hn::LoadU(d, data + 7 * lanes);
    for (i = 8 * lanes; n - i >= 8 * lanes; i += 8 * lanes) {
      const Number* const at = data + i;
      s0 = join(s0, hn::LoadU(d, at));
      s1 = join(s1, hn::LoadU(d, at + lanes));
      s2 = join(s2, hn::LoadU(d, at + 2 * lanes));
      s3 = join(s3, hn::LoadU(d, at + 3 * lanes));
      s4 = join(s4, hn::LoadU(d, at + 4 * lanes));
      s5 = join(s5, hn::LoadU(d, at + 5 * lanes));
      s6 = join(s6, hn::LoadU(d, at + 6 * lanes));
      s7 = join(s7, hn::LoadU(d, at + 7 * lanes));
    }
    for (; n - i >= lanes; i += lanes) {
      s0 = join(s0, hn::LoadU(d, data + i));
    }
    const auto low = join(join(s0, s1), join(s2, s3));
    const auto high = join(join(s4, s5), join(s6, s7));
    total = Join::one(total, Join::across(d, join(low, high)));
  } else if (n >= lanes) {
    auto s0 = hn::LoadU(d, data);
    for (i = lanes; n - i >= lanes; i += lanes) {
      s0 = join(s0, hn::LoadU(d, data + i));
    }
    total = Join::one(total, Join::across(d, s0));
  }
  for (; i < n; ++i) {
    total = Join::one(total, data[i]);
  }
  return total;
}

template <class Number>
HWY_INLINE Number dot_product(const Number* a, const Number* b, std::size_t n) {
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto nothing = hn::Set(d, nothing_to_add<Number>);
  auto s0 = nothing, s1 = nothing, s2 = nothing, s3 = nothing;
  std::size_t i = 0;
  for (; n - i >= 4 * lanes; i += 4 * lanes) {
    s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
    s1 = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), s1);
    s2 = hn::MulAdd(hn::LoadU(d, a + i + 2 * lanes), hn::LoadU(d, b + i + 2 * lanes), s2);
    s3 = hn::MulAdd(hn::LoadU(d, a + i + 3 * lanes), hn::LoadU(d, b + i + 3 * lanes), s3);
  }
  for (; n - i >= lanes; i += lanes) {
    s0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
  }
  Number total = add::across(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)));
  for (; i < n; ++i) {
    total += a[i] * b[i];
  }
  return total;
}

WEFT_DEFINE_KERNELS()

}  // namespace weft::algorithms::detail::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#define WEFT_KNOWN_KERNEL(name) HWY_EXPORT(name)
#define WEFT_CHOSEN_KERNEL(name) HWY_DYNAMIC_DISPATCH(name)
namespace weft::algorithms::detail::kernels {

WEFT_CHOOSE_KERNELS()

}  // namespace weft::algorithms::detail::kernels
#endif

#endif
