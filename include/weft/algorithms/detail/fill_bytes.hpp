// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills memory with one value: by memset where all its bytes are equal, past the caches if large.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/map.hpp"
#include "weft/algorithms/detail/streaming.hpp"

namespace weft::algorithms::detail {

/// One value, and one cache line full of it.
template <streamable T>
class fill_pattern {
 public:
  explicit fill_pattern(T value) noexcept : value_(value) {
    std::memcpy(bytes_.data(), &value_, sizeof(T));
    is_uniform_ = std::memcmp(bytes_.data(), bytes_.data() + 1, sizeof(T) - 1) == 0;
  }

  /// to[i] = value for i in [0, n).
  void fill(T* to, std::size_t n, bool streams) const noexcept {
    if (n == 0) {
      return;
    }
    if (streams) [[unlikely]] {
      write_large(
          stream_kind::fill, n * sizeof(T), [&] { stream_line(to, n); }, [&] { store(to, n); });
    } else {
      store(to, n);
    }
  }

 private:
  void store(T* to, std::size_t n) const noexcept {
    if (is_uniform_) {
      std::memset(static_cast<void*>(to), static_cast<unsigned char>(bytes_[0]), n * sizeof(T));
    } else {
      const T value = value_;
      write_block(to, 0, n, [value](std::size_t) { return value; });
    }
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
  bool is_uniform_ = false;
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
  const fill_pattern<T> pattern(value);
  if (n <= few_bytes / sizeof(T)) {
    pattern.fill(to, n, false);
    return;
  }
  const bool streams = should_stream(n * sizeof(T));
  for_chunks(how,
             loop_shape{n, sizeof(T), elements_per_line<T>},
             costs,
             [&pattern, to, streams](std::size_t first, std::size_t last) {
               pattern.fill(to + first, last - first, streams);
             });
}

}  // namespace weft::algorithms::detail
