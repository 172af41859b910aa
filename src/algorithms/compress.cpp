// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compression of words by masks: AVX-512 and AVX2 where the processor has them.
#include "weft/algorithms/detail/kernels/compress.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "weft/algorithms/detail/kernels/keep_mask.hpp"

#include "algorithms/kernel_choice.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define WEFT_HAS_X86_KERNELS 1
#else
#define WEFT_HAS_X86_KERNELS 0
#endif

namespace weft::algorithms::detail {
namespace {

// Words that may alias parts of numbers of any type.
struct [[gnu::may_alias]] word_4 {
  std::uint32_t bits;
};
struct [[gnu::may_alias]] word_8 {
  std::uint64_t bits;
};

std::size_t num_kept(const mask_words& which) noexcept {
  std::size_t count = 0;
  for (std::size_t i = 0; i < which.num_masks; ++i) {
    count += static_cast<std::size_t>(std::popcount(which.masks[i] ^ which.flip));
  }
  return count;
}

/// Copies the words that one mask keeps. Where many are kept, no branch depends on the mask.
template <class Word>
Word* compress_one(const Word* from, std::uint64_t mask, Word* to) noexcept {
  constexpr int few = 16;
  if (mask == full_mask) {
    std::memmove(to, from, mask_width * sizeof(Word));
    return to + mask_width;
  }
  if (std::popcount(mask) <= few) {
    for_each_bit(mask, [&](std::size_t i) { *to++ = from[i]; });
    return to;
  }
  // Ends at the last word that is kept, so that nothing after the results is written.
  for (; mask != 0; mask >>= 1U, ++from) {
    *to = *from;
    to += mask & 1U;
  }
  return to;
}

template <class Word>
std::size_t compress_plainly(const Word* from, const mask_words& which, Word* to) noexcept {
  Word* const begin = to;
  for (std::size_t i = 0; i < which.num_masks; ++i, from += mask_width) {
    to = compress_one(from, which.masks[i] ^ which.flip, to);
  }
  return static_cast<std::size_t>(to - begin);
}

#if WEFT_HAS_X86_KERNELS

/// For each set of eight lanes: the indices of the lanes in the set, one byte each.
constexpr std::array<std::uint64_t, 256> make_lane_table() {
  std::array<std::uint64_t, 256> table{};
  for (unsigned set = 0; set < table.size(); ++set) {
    unsigned place = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((set >> lane & 1U) != 0) {
        table[set] |= std::uint64_t{lane} << (8 * place);
        ++place;
      }
    }
  }
  return table;
}
constexpr std::array<std::uint64_t, 256> lane_table = make_lane_table();

/// Converts a set of four 8-byte lanes to the set of the eight 4-byte lanes in them.
constexpr std::array<unsigned char, 16> lane_pairs = {
    0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f, 0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};

/// Compresses 32 bytes at a time. Each step writes garbage after its results, which the next step
/// overwrites; so the last words are copied one by one.
template <class Word>
[[gnu::target("avx2,popcnt,bmi,bmi2")]] std::size_t compress_avx2(const Word* from,
                                                                  const mask_words& which,
                                                                  Word* to) noexcept {
  constexpr unsigned lanes = 32 / sizeof(Word);
  constexpr std::uint64_t lanes_set = (std::uint64_t{1} << lanes) - 1;
  const std::size_t all = num_kept(which);
  Word* const begin = to;
  Word* const end = to + all;
  for (std::size_t i = 0; i < which.num_masks; ++i, from += mask_width) {
    std::uint64_t mask = which.masks[i] ^ which.flip;
    if (mask == 0) {
      continue;
    }
    for (const Word* part = from; mask != 0; mask >>= lanes, part += lanes) {
      const auto set = static_cast<unsigned>(mask & lanes_set);
      if (end - to < static_cast<std::ptrdiff_t>(lanes)) {
        for_each_bit(set, [&](std::size_t lane) { *to++ = part[lane]; });
        continue;
      }
      const unsigned set_of_8 = sizeof(Word) == 8 ? lane_pairs[set & 15U] : set;
      const __m256i order =
          _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(lane_table[set_of_8])));
      const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(part));
      _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(to),
                          _mm256_permutevar8x32_epi32(values, order));
      to += __builtin_popcount(set);
    }
  }
  return static_cast<std::size_t>(to - begin);
}

[[gnu::target("avx512f")]] inline __m512i compressed(std::uint64_t set,
                                                     __m512i values,
                                                     const word_4* /*from*/) noexcept {
  return _mm512_maskz_compress_epi32(static_cast<__mmask16>(set), values);
}
[[gnu::target("avx512f")]] inline __m512i compressed(std::uint64_t set,
                                                     __m512i values,
                                                     const word_8* /*from*/) noexcept {
  return _mm512_maskz_compress_epi64(static_cast<__mmask8>(set), values);
}

[[gnu::target("avx512f")]] inline void store_first(word_4* to,
                                                   unsigned count,
                                                   __m512i values) noexcept {
  _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1U << count) - 1), values);
}
[[gnu::target("avx512f")]] inline void store_first(word_8* to,
                                                   unsigned count,
                                                   __m512i values) noexcept {
  _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1U << count) - 1), values);
}

template <class Word>
[[gnu::target("avx512f,popcnt,bmi,bmi2")]] std::size_t compress_avx512(const Word* from,
                                                                       const mask_words& which,
                                                                       Word* to) noexcept {
  constexpr unsigned lanes = 64 / sizeof(Word);
  constexpr std::uint64_t lanes_set = (std::uint64_t{1} << lanes) - 1;
  const std::size_t all = num_kept(which);
  Word* const begin = to;
  Word* const end = to + all;
  for (std::size_t i = 0; i < which.num_masks; ++i, from += mask_width) {
    std::uint64_t mask = which.masks[i] ^ which.flip;
    if (mask == 0) {
      continue;
    }
    for (const Word* part = from; mask != 0; mask >>= lanes, part += lanes) {
      const std::uint64_t set = mask & lanes_set;
      const __m512i values = compressed(set, _mm512_loadu_si512(part), part);
      const auto count = static_cast<unsigned>(__builtin_popcountll(set));
      if (end - to >= static_cast<std::ptrdiff_t>(lanes)) [[likely]] {
        _mm512_storeu_si512(to, values);
      } else {
        store_first(to, count, values);
      }
      to += count;
    }
  }
  return static_cast<std::size_t>(to - begin);
}

#endif

template <class Word>
std::size_t compress_with_best(const void* from, const mask_words& which, void* to) noexcept {
  const auto* const source = static_cast<const Word*>(from);
  auto* const target = static_cast<Word*>(to);
#if WEFT_HAS_X86_KERNELS
  const compress_kernel best = kernel_to_use();
  if (best == compress_kernel::avx512) {
    return compress_avx512(source, which, target);
  }
  if (best == compress_kernel::avx2) {
    return compress_avx2(source, which, target);
  }
#endif
  return compress_plainly(source, which, target);
}

}  // namespace

compress_kernel kernel_to_use() noexcept {
  compress_kernel chosen = chosen_compress_kernel.load(std::memory_order_relaxed);
  if (chosen == compress_kernel::unknown) [[unlikely]] {
    chosen = best_compress_kernel();
    chosen_compress_kernel.store(chosen, std::memory_order_relaxed);
  }
  return chosen;
}

compress_kernel best_compress_kernel() noexcept {
#if WEFT_HAS_X86_KERNELS
  __builtin_cpu_init();
  const bool counts = __builtin_cpu_supports("popcnt") != 0 &&
                      __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("bmi") != 0;
  if (counts && __builtin_cpu_supports("avx512f") != 0) {
    return compress_kernel::avx512;
  }
  if (counts && __builtin_cpu_supports("avx2") != 0) {
    return compress_kernel::avx2;
  }
#endif
  return compress_kernel::plain;
}

std::size_t compress_4(const void* from, const mask_words& which, void* to) noexcept {
  return compress_with_best<word_4>(from, which, to);
}
std::size_t compress_8(const void* from, const mask_words& which, void* to) noexcept {
  return compress_with_best<word_8>(from, which, to);
}

}  // namespace weft::algorithms::detail
