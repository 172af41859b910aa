// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite's inputs: functions of size and seed only, so that every backend gets the same
// elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::lab::stl {

/// A small seeded generator whose sequence is the same with every compiler and library.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014
///         (SplitMix64).
class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31U);
  }

  /// Returns a number in [0, bound), for `bound <= 2^32`; the bias is below bound / 2^32.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32U) * bound) >> 32U; }

 private:
  std::uint64_t state_;
};

/// Fills with 1, 2, ..., n: the paper's input. As float, numbers above 2^24 are rounded and repeat.
template <class T>
void fill_counting(std::span<T> elements) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<T>(i + 1);
  }
}

/// Fills with 0, 1, 2, ..., 2^22 - 1, 0, 1, ...: exact in every type, doubled or not.
template <class T>
void fill_wrapped_counting(std::span<T> elements) {
  constexpr std::size_t period = std::size_t{1} << 22U;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<T>(i % period);
  }
}

/// Fills with 1, 2, ..., n, each negated with probability 1/2.
template <class T>
void fill_signed_counting(std::span<T> elements, std::uint64_t seed) {
  random_bits random(seed);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const T magnitude = static_cast<T>(i + 1);
    elements[i] = random.below(2) == 0 ? magnitude : -magnitude;
  }
}

/// Fills with numbers from {-4, ..., -1, 1, ..., 4} whose sums are exact in any grouping.
///
/// No element is 0, so a missing or repeated one changes the sum. The mean is 0: a sum of m
/// independent elements has deviation 2.7 sqrt(m), 90 thousand at m = 2^30, while float counts
/// exactly to 2^24. So sums are exact for any blocks, strides or trees of an implementation.
template <class T>
void fill_exact_summands(std::span<T> elements, std::uint64_t seed) {
  random_bits random(seed);
  for (T& element : elements) {
    const auto magnitude = static_cast<T>(1 + random.below(4));
    element = random.below(2) == 0 ? magnitude : -magnitude;
  }
}

/// Puts the elements in random order (Fisher-Yates); `size <= 2^32`.
template <class T>
void shuffle(std::span<T> elements, random_bits& random) {
  for (std::size_t i = elements.size(); i > 1; --i) {
    std::swap(elements[i - 1], elements[random.below(i)]);
  }
}

/// Fills with a random permutation of 1, 2, ..., n; `size <= 2^32`.
template <class T>
void fill_shuffled(std::span<T> elements, std::uint64_t seed) {
  random_bits random(seed);
  fill_counting(elements);
  shuffle(elements, random);
}

/// Fills with an ascending sequence of steps 0, 1 or 2, so with many repetitions.
template <class T>
void fill_ascending(std::span<T> elements, std::uint64_t seed) {
  random_bits random(seed);
  std::uint64_t value = 0;
  for (T& element : elements) {
    const std::uint64_t bits = random.next() >> 62U;  // 0, 1, 2, 3: steps 0, 0, 1, 2
    value += bits == 3 ? 2 : bits / 2;
    element = static_cast<T>(value);
  }
}

/// Fills with elements in the middle of random bins [0, 1), [1, 2), ... of `num_bins`; integer
/// types get the lower end.
template <class T>
void fill_bins(std::span<T> elements, std::size_t num_bins, std::uint64_t seed) {
  random_bits random(seed);
  for (T& element : elements) {
    element = static_cast<T>(random.below(num_bins));
    if constexpr (std::is_floating_point_v<T>) {
      element += static_cast<T>(0.5);
    }
  }
}

/// Memory for the inputs of a batch of short calls; each call gets a new input. A branch predictor
/// memorises thousands of repeated calls (2048 sorts of 8 elements run four times faster than fresh
/// ones). An implementation with branches would then seem faster than it is.
///
/// Units:   bytes. Inputs and outputs together stay in the second-level cache.
inline constexpr std::size_t batch_bytes = std::size_t{128} << 10U;

/// Whether each call gets its own input, since the branch predictor would memorise repeated ones of
/// `size` elements.
///
/// Source: measured: `std::copy_if` and `std::partition` of the same 16,384 random doubles took 0.3
///         ns an element on an AMD EPYC that had seen them before, and 4 ns on new ones. Of 2^18
///         repeated ones, none was predicted.
[[nodiscard]] constexpr bool may_be_learnt(std::size_t size) noexcept {
  constexpr std::size_t too_many = std::size_t{1} << 18U;
  return size < too_many;
}

/// Returns how many inputs of `size` elements a batch has. If each call needs its own input there
/// are several, so that calls follow each other and workers need not be woken for each.
template <class T>
std::size_t num_inputs(std::size_t size) {
  const std::size_t fewest = may_be_learnt(size) ? 4 : 1;
  return std::max(fewest, batch_bytes / (size * sizeof(T)));
}

/// Returns the size of a batch's inputs except the first, for the memory that an experiment needs.
///
/// Units:   bytes; `size` is a double, since it may exceed the integers.
template <class T>
double batch_input_bytes(double size) {
  if (!(size < static_cast<double>(std::numeric_limits<std::uint32_t>::max()))) {
    return 0;
  }
  const auto num_more = static_cast<double>(num_inputs<T>(static_cast<std::size_t>(size)) - 1);
  return num_more * size * sizeof(T);
}

/// Returns `count` positions in [0, size), every prefix of which is spread evenly.
///
/// The van der Corput sequence (bits of the index reversed), shifted by a random amount.
/// Source: Cranley, Patterson, "Randomization of Number Theoretic Methods for Multiple
///         Integration", SIAM J. Numer. Anal. 13(6), 1976.
std::vector<std::size_t> balanced_positions(std::size_t size,
                                            std::size_t count,
                                            std::uint64_t seed);

}  // namespace weft::lab::stl
