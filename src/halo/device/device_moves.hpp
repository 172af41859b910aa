// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copies of one thread of a device: index maps that kernels share with tests on the CPU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define WEFT_HALO_ON_DEVICE __host__ __device__
#else
#define WEFT_HALO_ON_DEVICE
#endif

namespace weft::halo::detail {

/// Division by a number known in advance, as a multiplication and a shift, for dividends below
/// 2^31.
///
/// Source: Granlund and Montgomery, "Division by Invariant Integers using Multiplication", PLDI
///         1994, section 4.
struct divisor {
  std::uint32_t number = 1;
  std::uint32_t factor = 1;
  std::uint32_t shift = 0;
};

constexpr divisor make_divisor(std::uint32_t number) {
  divisor made{.number = number};
  while ((std::uint64_t{1} << made.shift) < number) {
    ++made.shift;
  }
  const std::uint64_t excess = (std::uint64_t{1} << made.shift) - number;
  made.factor = static_cast<std::uint32_t>((excess << 32U) / number + 1);
  return made;
}

WEFT_HALO_ON_DEVICE constexpr std::uint32_t quotient(std::uint32_t dividend, const divisor& by) {
  const auto high =
      static_cast<std::uint32_t>((static_cast<std::uint64_t>(dividend) * by.factor) >> 32U);
  return (high + dividend) >> by.shift;
}

/// A dimension of a box. Units: words.
struct move_dim {
  divisor count = {};
  std::int32_t into_stride = 0;
  std::int32_t from_stride = 0;
};

inline constexpr std::uint32_t max_move_dims = 5;  // those of a field, and the words of a block

/// A box to copy, in words of 1, 2, 4, 8 or 16 bytes. The whole box is aligned to its words, and so
/// small that 32 bits suffice for the numbers of its words and for its strides.
struct cell_move {
  std::int64_t into_offset = 0;  // bytes from the launch's pointer
  std::int64_t from_offset = 0;
  std::uint32_t num_words = 0;
  std::uint32_t num_dims = 1;  // that are used
  std::uint32_t word_bytes = 1;
  std::uint16_t into = 0;  // which of the launch's pointers
  std::uint16_t from = 0;
  // the dimension whose words are contiguous comes first
  std::array<move_dim, max_move_dims> dims{};
};

/// The part of a box that one block of threads copies.
struct move_tile {
  std::uint32_t move = 0;
  std::uint32_t first_word = 0;
};

inline constexpr std::uint32_t threads_per_tile = 256;
inline constexpr std::uint32_t words_per_thread = 4;  // loads in flight at the same time
inline constexpr std::uint32_t words_per_tile = threads_per_tile * words_per_thread;

/// The addresses of this launch: descriptors, which stay on the device, hold no addresses.
inline constexpr std::size_t max_move_pointers = 32;
struct move_pointers {
  std::array<std::byte*, max_move_pointers> at{};
};

/// The position of a word, relative to the box's first word. Units: words.
struct word_place {
  std::int32_t into = 0;
  std::int32_t from = 0;
};

/// Returns the positions of the words `first`, `first + threads_per_tile`, ... Each dimension's
/// descriptor is read once for all of them, and all arithmetic has 32 bits.
///
/// Words beyond the box get meaningless positions.
template <std::uint32_t num_words>
WEFT_HALO_ON_DEVICE constexpr std::array<word_place, num_words> places_of(const cell_move& what,
                                                                          std::uint32_t first) {
  std::array<std::uint32_t, num_words> rest{};
  std::array<std::uint32_t, num_words> into{};  // unsigned, as intermediate values may wrap around
  std::array<std::uint32_t, num_words> from{};
  for (std::uint32_t n = 0; n < num_words; ++n) {
    rest[n] = first + n * threads_per_tile;
  }
  std::uint32_t d = 0;
  for (; d + 1 < what.num_dims; ++d) {
    const move_dim along = what.dims[d];
    for (std::uint32_t n = 0; n < num_words; ++n) {
      const std::uint32_t outer = quotient(rest[n], along.count);
      const std::uint32_t index = rest[n] - outer * along.count.number;
      into[n] += index * static_cast<std::uint32_t>(along.into_stride);
      from[n] += index * static_cast<std::uint32_t>(along.from_stride);
      rest[n] = outer;
    }
  }
  std::array<word_place, num_words> found{};
  const move_dim last = what.dims[d];
  for (std::uint32_t n = 0; n < num_words; ++n) {
    into[n] += rest[n] * static_cast<std::uint32_t>(last.into_stride);
    from[n] += rest[n] * static_cast<std::uint32_t>(last.from_stride);
    found[n] = {.into = static_cast<std::int32_t>(into[n]),
                .from = static_cast<std::int32_t>(from[n])};
  }
  return found;
}

struct alignas(16) word_of_16 {
  std::uint64_t low;
  std::uint64_t high;
};

template <class Word>
WEFT_HALO_ON_DEVICE inline Word load_word(const std::byte* at) {
#if defined(__CUDA_ARCH__)
  return *reinterpret_cast<const Word*>(at);  // device code has no aliasing rules by type
#else
  Word loaded;
  std::memcpy(&loaded, at, sizeof(Word));
  return loaded;
#endif
}

template <class Word>
WEFT_HALO_ON_DEVICE inline void store_word(std::byte* at, const Word& what) {
#if defined(__CUDA_ARCH__)
  *reinterpret_cast<Word*>(at) = what;
#else
  std::memcpy(at, &what, sizeof(Word));
#endif
}

/// The words of one thread.
struct thread_words {
  std::byte* into;
  const std::byte* from;
  std::array<word_place, words_per_thread> places;
  std::uint32_t num_words;  // of these words, the number that are in the box
};

/// All words are loaded before the first is stored. Boxes of one launch do not overlap what other
/// boxes of the launch read.
template <class Word>
WEFT_HALO_ON_DEVICE inline void move_words(const thread_words& what) {
  constexpr std::int64_t bytes = sizeof(Word);
  std::array<Word, words_per_thread> words{};
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::uint32_t n = 0; n < words_per_thread; ++n) {
    if (n < what.num_words) {
      words[n] = load_word<Word>(what.from + what.places[n].from * bytes);
    }
  }
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (std::uint32_t n = 0; n < words_per_thread; ++n) {
    if (n < what.num_words) {
      store_word(what.into + what.places[n].into * bytes, words[n]);
    }
  }
}

/// Does the whole work of thread number `thread` of a tile. Neighbouring threads copy neighbouring
/// words.
WEFT_HALO_ON_DEVICE inline void move_part(const cell_move& what,
                                          const move_pointers& where,
                                          std::uint32_t first_word,
                                          std::uint32_t thread) {
  const std::uint32_t first = first_word + thread;
  if (first >= what.num_words) {
    return;
  }
  const thread_words words{
      .into = where.at[what.into] + what.into_offset,
      .from = where.at[what.from] + what.from_offset,
      .places = places_of<words_per_thread>(what, first),
      .num_words = (what.num_words - first + threads_per_tile - 1) / threads_per_tile};
  switch (what.word_bytes) {
    case 16:
      move_words<word_of_16>(words);
      break;
    case 8:
      move_words<std::uint64_t>(words);
      break;
    case 4:
      move_words<std::uint32_t>(words);
      break;
    case 2:
      move_words<std::uint16_t>(words);
      break;
    default:
      move_words<std::uint8_t>(words);
  }
}

}  // namespace weft::halo::detail
