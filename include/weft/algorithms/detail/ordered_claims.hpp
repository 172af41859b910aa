// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a range that workers take one after the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>

namespace weft::algorithms::detail {

/// One piece of [0, n).
struct tile {
  std::size_t index = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Tiles of equal size, the last one shorter, claimed in order: whoever has tile i knows that all
/// before it are done or in somebody's hands.
///
/// Threads: `claim` and `stop` from any.
class ordered_claims {
 public:
  ordered_claims(std::size_t n, std::size_t tile_size) noexcept : n_(n), size_(tile_size) {}

  [[nodiscard]] std::size_t num_tiles() const noexcept { return n_ / size_ + (n_ % size_ != 0); }

  /// The next tile; none: all are taken.
  [[nodiscard]] std::optional<tile> claim() noexcept {
    // relaxed: what tiles hold was there before the workers were; results have their own order
    const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
    if (index >= num_tiles()) {
      return std::nullopt;
    }
    const std::size_t first = index * size_;
    return tile{.index = index, .first = first, .last = std::min(n_, first + size_)};
  }

  /// Nobody gets another tile.
  void stop() noexcept { next_.store(num_tiles(), std::memory_order_relaxed); }

 private:
  std::size_t n_;
  std::size_t size_;
  alignas(128) std::atomic<std::size_t> next_{0};
};

/// Chunks of [first, n) whose size may follow what is left.
///
/// Threads: `claim` and `stop` from any.
class chunk_claims {
 public:
  struct rule {
    std::size_t min_size = 1;  // of every chunk but the last
    std::size_t divisor = 0;   // a chunk is what is left over this, if that is more; 0: min_size
    std::size_t multiple_of = 1;
  };
  chunk_claims(std::size_t first, std::size_t n, const rule& how) noexcept
      : n_(n), how_(how), next_(first) {}

  [[nodiscard]] std::optional<tile> claim() noexcept {
    std::size_t first = next_.load(std::memory_order_relaxed);
    for (;;) {
      if (first >= n_) {
        return std::nullopt;
      }
      const std::size_t size = size_of_next(n_ - first);
      if (next_.compare_exchange_weak(first, first + size, std::memory_order_relaxed)) {
        return tile{.index = 0, .first = first, .last = first + size};
      }
    }
  }
  void stop() noexcept { next_.store(n_, std::memory_order_relaxed); }

  [[nodiscard]] std::size_t size_of_next(std::size_t rest) const noexcept {
    const std::size_t wanted =
        how_.divisor == 0 ? how_.min_size : std::max(how_.min_size, rest / how_.divisor);
    const std::size_t over = wanted % how_.multiple_of;
    return std::min(rest, over == 0 ? wanted : wanted + how_.multiple_of - over);
  }

 private:
  std::size_t n_;
  rule how_;
  alignas(128) std::atomic<std::size_t> next_;
};

}  // namespace weft::algorithms::detail
