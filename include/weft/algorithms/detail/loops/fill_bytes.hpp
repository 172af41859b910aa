// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills memory with one value: with non-temporal stores if it is large, by memset if that is
// fastest.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// Makes a value repeatedly.
template <class T>
struct itself {
  T value;
  constexpr T operator()() const { return value; }
};

/// Above the lower size, memset of the C library is a string instruction, which starts slowly.
/// Vector stores are faster up to the size of the L1 cache. In the L2 cache memset is twice as
/// fast.
inline constexpr std::size_t slow_memset_above_bytes = std::size_t{2} << 10U;
inline constexpr std::size_t slow_memset_to_bytes = std::size_t{32} << 10U;

/// One value for a range of `num_bytes`, and one cache line full of it.
template <streamable T>
class fill_pattern {
 public:
  fill_pattern(T value, std::size_t num_bytes) noexcept : value_(value) {
    std::memcpy(bytes_.data(), &value_, sizeof(T));
    const bool is_uniform = std::memcmp(bytes_.data(), bytes_.data() + 1, sizeof(T) - 1) == 0;
    is_clear_ = is_uniform && bytes_[0] == std::byte{0};
    is_for_memset_ =
        is_uniform && (num_bytes <= slow_memset_above_bytes || num_bytes > slow_memset_to_bytes);
  }

  /// Whether a range of this many bytes is written with non-temporal stores. If the processor can
  /// clear lines, zeros are streamed from the size of the last cache on. No cache could hold the
  /// whole range for a later reader.
  [[nodiscard]] bool streams(std::size_t num_bytes) const noexcept {
    return should_stream(clears() ? num_bytes + 1 : num_bytes);
  }

  /// to[i] = value for i in [0, n).
  void fill(T* to, std::size_t n, bool streams) const noexcept {
    if (n == 0) {
      return;
    }
    if (streams) [[unlikely]] {
      const bool clears_it = clears();
      write_large(
          clears_it ? stream_kind::clear : stream_kind::fill,
          n * sizeof(T),
          [&] { clears_it ? clear(to, n) : stream_line(to, n); },
          [&] { store(to, n); });
    } else {
      store(to, n);
    }
  }

 private:
  void store(T* to, std::size_t n) const noexcept {
    if (is_for_memset_) {
      std::memset(static_cast<void*>(to), static_cast<unsigned char>(bytes_[0]), n * sizeof(T));
    } else {
      write_block(to, 0, n, made_anywhere<itself<T>>{{value_}});
    }
  }

  [[nodiscard]] bool clears() const noexcept { return is_clear_ && clears_lines(); }

  void clear(T* to, std::size_t n) const noexcept {
    stream_clear(to, n * sizeof(T));
    stream_fence();
  }

  void stream_line(T* to, std::size_t n) const noexcept {
    alignas(cache_line_bytes) std::array<std::byte, cache_line_bytes> line;  // NOLINT: filled here
    for (std::size_t i = 0; i < line.size(); i += sizeof(T)) {
      std::memcpy(line.data() + i, bytes_.data(), sizeof(T));
    }
    stream_fill(to, line, n * sizeof(T));
    stream_fence();
  }

  T value_;
  std::array<std::byte, sizeof(T)> bytes_;
  bool is_clear_ = false;
  bool is_for_memset_ = false;
};

/// to[i] = value for i in [0, n).
template <class How, class T>
inline void fill_bytes(const How& how, T* to, std::size_t n, T value, cost_record& costs) {
  constexpr std::size_t too_few = block_length<T>;
  if (n < too_few) {
    for (std::size_t i = 0; i < n; ++i) {
      to[i] = value;
    }
    return;
  }
  const fill_pattern<T> pattern(value, n * sizeof(T));
  if (n <= few_bytes / sizeof(T)) {
    pattern.fill(to, n, false);
    return;
  }
  const bool streams = pattern.streams(n * sizeof(T));
  for_chunks(how,
             loop_shape{n, sizeof(T), elements_per_line<T>},
             costs,
             [&pattern, to, streams](std::size_t first, std::size_t last) {
               pattern.fill(to + first, last - first, streams);
             });
}

}  // namespace weft::algorithms::detail
