// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops over contiguous numbers, compiled for every instruction set that Highway supports.
#if defined(WEFT_HAS_HIGHWAY)

#include "weft/algorithms/detail/kernels/number_kernels.hpp"

#include <algorithm>
#include <concepts>  // IWYU pragma: keep, with AVX-512
#include <cstddef>
#include <cstdint>
#include <limits>  // IWYU pragma: keep, with AVX-512
#include <type_traits>

#include "weft/algorithms/detail/memory/next_page.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/number_kernels.cpp"  // NOLINT: Highway's own name
#include <hwy/base.h>
#include <hwy/detect_compiler_arch.h>
#include <hwy/detect_targets.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "algorithms/number_kernel_macros.hpp"

HWY_BEFORE_NAMESPACE();
namespace weft::algorithms::detail::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Comparisons that return masks in mask registers read memory more slowly. On a Zen 5, 2^22 doubles
// take 0.91 ms with masks and 0.73 ms with joined vectors.
#undef WEFT_JOINS_VECTORS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3 && HWY_MAX_BYTES == 64
#define WEFT_JOINS_VECTORS 1
#else
#define WEFT_JOINS_VECTORS 0
#endif

/// Whether any position of the four vectors from i on passes.
template <class D, class Test>
HWY_INLINE bool any_mask(D d, const Test& test, std::size_t i) {
  const std::size_t lanes = hn::Lanes(d);
  const auto front = hn::Or(test.lanes(d, i), test.lanes(d, i + lanes));
  const auto back = hn::Or(test.lanes(d, i + 2 * lanes), test.lanes(d, i + 3 * lanes));
  return !hn::AllFalse(d, hn::Or(front, back));
}

#if WEFT_JOINS_VECTORS

/// As any_mask, with the unsigned numbers that `test.off` returns: 0 where a position passes.
template <class D, class Test>
HWY_INLINE bool any_zero(D d, const Test& test, std::size_t i) {
  const std::size_t lanes = hn::Lanes(d);
  const auto front = hn::Min(test.off(d, i), test.off(d, i + lanes));
  const auto back = hn::Min(test.off(d, i + 2 * lanes), test.off(d, i + 3 * lanes));
  const hn::RebindToUnsigned<D> bits;
  return !hn::AllFalse(bits, hn::Eq(hn::Min(front, back), hn::Zero(bits)));
}

/// As any_mask, for a comparison of floating-point numbers. AVX returns its result as a vector.
template <int comparison>
HWY_INLINE bool any_compared(const double* a, const double* b) {
  __m256d hits = _mm256_cmp_pd(_mm256_loadu_pd(a), _mm256_loadu_pd(b), comparison);
  for (std::size_t i = 4; i < 32; i += 4) {
    hits = _mm256_or_pd(hits,
                        _mm256_cmp_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i), comparison));
  }
  return _mm256_testz_pd(hits, hits) == 0;
}
template <int comparison>
HWY_INLINE bool any_compared(const float* a, const float* b) {
  __m256 hits = _mm256_cmp_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b), comparison);
  for (std::size_t i = 8; i < 64; i += 8) {
    hits = _mm256_or_ps(hits,
                        _mm256_cmp_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), comparison));
  }
  return _mm256_testz_ps(hits, hits) == 0;
}

#endif

/// `by_bits`: integers, or floating-point values for which `has_own_bits` holds.
template <class Number, bool by_bits = !std::is_floating_point_v<Number>>
struct equal_to_value {
  const Number* data;
  Number value;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::Eq(hn::LoadU(d, data + i), hn::Set(d, value));
  }
#if WEFT_JOINS_VECTORS
  /// Whether only numbers with the same bits equal the value. False for zeros and denormal numbers:
  /// in a thread that treats denormal numbers as zeros (x86: DAZ, which -ffast-math sets), all of
  /// them are equal.
  HWY_INLINE bool has_own_bits() const {
    if constexpr (std::is_floating_point_v<Number>) {
      constexpr Number least_normal = std::numeric_limits<Number>::min();
      return value <= -least_normal || value >= least_normal;
    } else {
      return true;
    }
  }
  /// The bits that differ.
  template <class D>
  HWY_INLINE auto off(D d, std::size_t i) const {
    const hn::RebindToUnsigned<D> bits;
    return hn::Xor(hn::BitCast(bits, hn::LoadU(d, data + i)), hn::BitCast(bits, hn::Set(d, value)));
  }
#endif
  template <class D>
  HWY_INLINE bool any(D d, std::size_t i) const {
#if WEFT_JOINS_VECTORS
    if constexpr (by_bits) {
      return any_zero(d, *this, i);
    }
#endif
    return any_mask(d, *this, i);
  }
  template <class D>
  HWY_INLINE bool any_near(D d, std::size_t i) const {
    return any(d, i);
  }
  HWY_INLINE void fetch(std::size_t i) const { fetch_next_page(data + i); }
  HWY_INLINE bool can_pass() const { return value == value; }
  HWY_INLINE bool one(std::size_t i) const { return data[i] == value; }
};

/// The common part of tests of pairs.
template <class Number>
struct of_pairs {
  const Number* a;
  const Number* b;
  HWY_INLINE void fetch(std::size_t i) const {
    fetch_next_page(a + i);
    fetch_next_page(b + i);
  }
  HWY_INLINE static bool can_pass() { return true; }
};

template <class Number>
struct pair_equal : of_pairs<Number> {
  using of_pairs<Number>::a;
  using of_pairs<Number>::b;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::Eq(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
  }
#if WEFT_JOINS_VECTORS
  template <class D>
  HWY_INLINE auto off(D d, std::size_t i) const {
    return hn::Xor(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
  }
#endif
  template <class D>
  HWY_INLINE bool any(D d, std::size_t i) const {
#if WEFT_JOINS_VECTORS
    if constexpr (std::is_floating_point_v<Number>) {
      return any_compared<_CMP_EQ_OQ>(a + i, b + i);
    } else {
      return any_zero(d, *this, i);
    }
#else
    return any_mask(d, *this, i);
#endif
  }
  template <class D>
  HWY_INLINE bool any_near(D d, std::size_t i) const {
    return any_mask(d, *this, i);  // of vectors that are twice as wide
  }
  HWY_INLINE bool one(std::size_t i) const { return a[i] == b[i]; }
};

template <class Number>
struct pair_different : of_pairs<Number> {
  using of_pairs<Number>::a;
  using of_pairs<Number>::b;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    const auto x = hn::LoadU(d, a + i);
    const auto y = hn::LoadU(d, b + i);
    if constexpr (std::is_floating_point_v<Number>) {
      return hn::Not(hn::Eq(x, y));  // hn::Ne is false for a NaN
    } else {
      return hn::Ne(x, y);
    }
  }
  template <class D>
  HWY_INLINE bool any(D d, std::size_t i) const {
#if WEFT_JOINS_VECTORS
    if constexpr (std::is_floating_point_v<Number>) {
      return any_compared<_CMP_NEQ_UQ>(a + i, b + i);
    } else {
      auto bits = hn::Xor(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
      for (std::size_t k = 1; k < 4; ++k) {
        i += hn::Lanes(d);
        bits = hn::Or(bits, hn::Xor(hn::LoadU(d, a + i), hn::LoadU(d, b + i)));
      }
      return !hn::AllTrue(d, hn::Eq(bits, hn::Zero(d)));
    }
#else
    return any_mask(d, *this, i);
#endif
  }
  template <class D>
  HWY_INLINE bool any_near(D d, std::size_t i) const {
    return any_mask(d, *this, i);  // of vectors that are twice as wide
  }
  HWY_INLINE bool one(std::size_t i) const { return a[i] != b[i]; }
};

template <class Number>
struct pair_less : of_pairs<Number> {
  using of_pairs<Number>::a;
  using of_pairs<Number>::b;
  template <class D>
  HWY_INLINE auto lanes(D d, std::size_t i) const {
    return hn::Lt(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
  }
  template <class D>
  HWY_INLINE bool any(D d, std::size_t i) const {
#if WEFT_JOINS_VECTORS
    if constexpr (std::is_floating_point_v<Number>) {
      return any_compared<_CMP_LT_OQ>(a + i, b + i);
    }
#endif
    return any_mask(d, *this, i);
  }
  template <class D>
  HWY_INLINE bool any_near(D d, std::size_t i) const {
    return any_mask(d, *this, i);  // of vectors that are twice as wide
  }
  HWY_INLINE bool one(std::size_t i) const { return a[i] < b[i]; }
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
  template <class D>
  HWY_INLINE bool any(D d, std::size_t i) const {
    return any_mask(d, *this, i);
  }
  template <class D>
  HWY_INLINE bool any_near(D d, std::size_t i) const {
    return any_mask(d, *this, i);
  }
  HWY_INLINE void fetch(std::size_t i) const { fetch_next_page(data + i); }
  HWY_INLINE static bool can_pass() { return true; }
  HWY_INLINE bool one(std::size_t i) const { return data[i] == front && far[i] == back; }
};

// Shorter data is mostly in a core's caches. Chunks of long searches are at least this long.
inline constexpr std::size_t near_bytes = std::size_t{32} << 10U;

/// Returns how many of n positions a loop passes, in blocks of four vectors, before it prefetches
/// another page. n is at least one block.
template <class Number>
HWY_INLINE std::size_t run_of_blocks(std::size_t n) {
  const hn::ScalableTag<Number> d;
  const std::size_t block = 4 * hn::Lanes(d);
  const std::size_t most = std::max<std::size_t>(read_page_bytes / sizeof(Number) / block, 1);
  return std::min(n / block, most) * block;
}

/// Returns the start of the first block of four vectors in [0, n) with a position that passes. If
/// no block has one: the start of the remainder, which is shorter than a block.
template <class Number, class Test>
HWY_INLINE std::size_t near_block_that(std::size_t n, const Test& test) {
  const hn::ScalableTag<Number> d;
  const std::size_t block = 4 * hn::Lanes(d);
  std::size_t i = 0;
  for (; n - i >= block; i += block) {
    if (test.any_near(d, i)) {
      break;
    }
  }
  return i;
}

/// As near_block_that, for data larger than the caches.
template <class Number, class Test>
HWY_INLINE std::size_t far_block_that(std::size_t n, const Test& test) {
  const hn::ScalableTag<Number> d;
  const std::size_t block = 4 * hn::Lanes(d);
  for (std::size_t i = 0; n - i >= block;) {
    if (n - i > page_ahead<Number>) {
      test.fetch(i);
    }
    for (const std::size_t end = i + run_of_blocks<Number>(n - i); i != end; i += block) {
      if (test.any(d, i)) {
        return i;
      }
    }
  }
  return n / block * block;
}

/// Returns the first position that passes. The loop tests four vectors per branch.
template <class Number, class Test>
HWY_INLINE std::size_t first_that(std::size_t n, Test test) {
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  if (!test.can_pass()) {
    return n;
  }
  std::size_t i = n * sizeof(Number) < near_bytes ? near_block_that<Number>(n, test)
                                                  : far_block_that<Number>(n, test);
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

/// Returns the position after the last one that passes, or 0. As `first_that`, from the back.
template <class Number, class Test>
HWY_INLINE std::size_t behind_last_that(std::size_t n, Test test) {
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  if (!test.can_pass()) {
    return 0;
  }
  for (; n >= 4 * lanes; n -= 4 * lanes) {
    if (test.any_near(d, n - 4 * lanes)) {
      break;
    }
  }
  while (n != 0 && !test.one(n - 1)) {
    --n;
  }
  return n;
}

#if WEFT_JOINS_VECTORS

/// As the general templates, but compares bits where `has_own_bits` allows it.
template <std::floating_point Number>
HWY_INLINE std::size_t first_that(std::size_t n, equal_to_value<Number, false> test) {
  using by_comparison = equal_to_value<Number, false>;
  using by_bits = equal_to_value<Number, true>;
  return test.has_own_bits() ? first_that<Number, by_bits>(n, by_bits{test.data, test.value})
                             : first_that<Number, by_comparison>(n, test);
}
template <std::floating_point Number>
HWY_INLINE std::size_t behind_last_that(std::size_t n, equal_to_value<Number, false> test) {
  using by_comparison = equal_to_value<Number, false>;
  using by_bits = equal_to_value<Number, true>;
  return test.has_own_bits() ? behind_last_that<Number, by_bits>(n, by_bits{test.data, test.value})
                             : behind_last_that<Number, by_comparison>(n, test);
}

#endif

#if WEFT_JOINS_VECTORS

/// Returns how many of positions [i, end) have the same bits. The range is made of blocks of four
/// vectors and is no longer than a page.
template <class Number>
HWY_INLINE std::size_t num_of_same_bits(const equal_to_value<Number>& test,
                                        std::size_t i,
                                        std::size_t end) {
  const hn::ScalableTag<Number> d;
  const hn::RebindToUnsigned<decltype(d)> bits;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t n = end - i;
  const auto one = hn::Set(bits, 1);
  auto s0 = hn::Zero(bits), s1 = s0, s2 = s0, s3 = s0;  // sums of positions that differ
  for (; i != end; i += 4 * lanes) {
    s0 = hn::Add(s0, hn::Min(test.off(d, i), one));
    s1 = hn::Add(s1, hn::Min(test.off(d, i + lanes), one));
    s2 = hn::Add(s2, hn::Min(test.off(d, i + 2 * lanes), one));
    s3 = hn::Add(s3, hn::Min(test.off(d, i + 3 * lanes), one));
  }
  const auto sum = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  return n - static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(bits, sum)));
}

#endif

/// Returns how many of positions [i, end) pass. The range is made of blocks of four vectors and is
/// no longer than a page.
template <class Number>
HWY_INLINE std::size_t num_in_blocks(const equal_to_value<Number>& test,
                                     std::size_t i,
                                     std::size_t end) {
#if WEFT_JOINS_VECTORS
  if constexpr (sizeof(Number) >= 4) {  // so that the sums of a page fit into lanes
    if (test.has_own_bits()) {
      return num_of_same_bits(test, i, end);
    }
  }
#endif
  const hn::ScalableTag<Number> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t count = 0;
  for (; i != end; i += 4 * lanes) {
    count += hn::CountTrue(d, test.lanes(d, i)) + hn::CountTrue(d, test.lanes(d, i + lanes)) +
             hn::CountTrue(d, test.lanes(d, i + 2 * lanes)) +
             hn::CountTrue(d, test.lanes(d, i + 3 * lanes));
  }
  return count;
}

/// How many positions pass.
template <class Number>
HWY_INLINE std::size_t how_many_equal(const Number* data, std::size_t n, Number value) {
  const hn::ScalableTag<Number> d;
  const std::size_t block = 4 * hn::Lanes(d);
  const equal_to_value<Number> test{data, value};
  if (!test.can_pass()) {
    return 0;
  }
  std::size_t count = 0;
  std::size_t i = 0;
  while (n - i >= block) {
    if (n - i > page_ahead<Number>) {
      test.fetch(i);
    }
    const std::size_t end = i + run_of_blocks<Number>(n - i);
    count += num_in_blocks(test, i, end);
    i = end;
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
#if HWY_TARGET == HWY_EMU128  // there Highway starts with +0, which would turn a sum of -0 into +0
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

/// Joins all numbers, in eight vectors at a time: eight hide the latency of an addition.
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

namespace {
/// Highway asks the processor for its features when a program starts, not in a first call. The
/// question takes 20 us in a virtual machine, where `cpuid` traps.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): the lambda is noexcept
[[maybe_unused]] const bool is_target_chosen = []() noexcept {
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}();
}  // namespace

WEFT_CHOOSE_KERNELS()

}  // namespace weft::algorithms::detail::kernels
#endif

#endif
