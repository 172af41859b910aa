// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of a block stay, as bits; and copying or moving those that do.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"

namespace weft::algorithms::detail {

inline constexpr std::size_t mask_width = 64;
inline constexpr std::uint64_t full_mask = ~std::uint64_t{0};

/// The bits of 64 bytes that are 0 or 1.
[[nodiscard]] inline std::uint64_t packed_bits(
    const std::array<unsigned char, mask_width>& flags) noexcept {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < mask_width; i += 8) {
    std::uint64_t eight = 0;
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&eight, flags.data() + i, 8);
      eight = (eight * 0x0102040810204080U) >> 56U;
    } else {
      for (std::size_t j = 0; j < 8; ++j) {
        eight |= std::uint64_t{flags[i + j]} << j;
      }
    }
    bits |= eight << i;
  }
  return bits;
}

/// Eight at a time, so that bits do not wait for each other.
template <class Keep>
[[nodiscard]] [[gnu::always_inline]] inline std::uint64_t keep_mask_by_eight(Keep& keep) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < mask_width; i += 8) {
    const unsigned one = (keep(i) ? 0x01U : 0U) | (keep(i + 1) ? 0x02U : 0U);
    const unsigned two = (keep(i + 2) ? 0x04U : 0U) | (keep(i + 3) ? 0x08U : 0U);
    const unsigned three = (keep(i + 4) ? 0x10U : 0U) | (keep(i + 5) ? 0x20U : 0U);
    const unsigned four = (keep(i + 6) ? 0x40U : 0U) | (keep(i + 7) ? 0x80U : 0U);
    bits |= std::uint64_t{(one | two) | (three | four)} << i;
  }
  return bits;
}

#if WEFT_CHOOSES_VECTORS
/// g++ tests eight elements at once by vectors, but only by those that hold four of them.
template <class Keep>
[[nodiscard]] [[gnu::target("avx2"), gnu::noinline]] std::uint64_t wide_keep_mask_by_eight(
    Keep keep) {
  return keep_mask_by_eight(keep);
}
#endif

/// Bytes first, and a constant number of them: so compilers vectorise it at -O2.
template <class Keep>
[[nodiscard]] [[gnu::always_inline]] inline std::uint64_t keep_mask_by_bytes(Keep& keep) {
  std::array<unsigned char, mask_width> flags;
  for (std::size_t i = 0; i < mask_width; ++i) {
    flags[i] = keep(i) ? 1 : 0;
  }
  return packed_bits(flags);
}

/// Bit i: whether `keep(i)`, for i below `n`, at most 64, which looks at `Element` i.
template <class Element, class Keep>
[[nodiscard]] inline std::uint64_t keep_mask(std::size_t n, Keep&& keep) {
  // Vectors have few elements of eight bytes, and make bytes of them with many shuffles.
  if (n == mask_width && sizeof(Element) >= sizeof(std::uint64_t)) {
#if WEFT_CHOOSES_VECTORS
    if (__builtin_cpu_supports("avx2")) {
      return wide_keep_mask_by_eight(keep);
    }
#endif
    return keep_mask_by_eight(keep);
  }
  if (n == mask_width) {
    return keep_mask_by_bytes(keep);
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bits |= (keep(i) ? std::uint64_t{1} : 0) << i;
  }
  return bits;
}

/// Calls `f` with the position of each bit that is set, in order.
template <class F>
inline void for_each_bit(std::uint64_t bits, F&& f) {
  for (; bits != 0; bits &= bits - 1) {
    f(static_cast<std::size_t>(std::countr_zero(bits)));
  }
}

/// Copies the elements of the mask to `out` and returns its end.
template <class It, class Out>
inline Out copy_masked(It first, std::uint64_t mask, Out out) {
  if (mask == full_mask) {
    return std::copy(first, advanced(first, mask_width), out);
  }
  for_each_bit(mask, [&](std::size_t i) {
    *out = *advanced(first, i);
    ++out;
  });
  return out;
}

/// Moves the elements of the mask down to `out`, in the same sequence, and returns its end. Never
/// an element onto itself: another thread may be reading that.
template <class It>
inline It move_masked(It first, std::uint64_t mask, It out) {
  if (out == first) {
    const int num_in_place = std::countr_one(mask);
    out = advanced(out, static_cast<std::size_t>(num_in_place));
    if (num_in_place == static_cast<int>(mask_width)) {
      return out;
    }
    mask &= full_mask << static_cast<unsigned>(num_in_place);
  } else if (mask == full_mask) {
    return std::move(first, advanced(first, mask_width), out);
  }
  for_each_bit(mask, [&](std::size_t i) {
    *out = std::ranges::iter_move(advanced(first, i));
    ++out;
  });
  return out;
}

}  // namespace weft::algorithms::detail
