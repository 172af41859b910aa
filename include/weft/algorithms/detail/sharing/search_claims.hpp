// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a range that is searched for its first hit, interleaved among the workers.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "weft/algorithms/detail/sharing/ordered_claims.hpp"

namespace weft::algorithms::detail {

/// Chunks of [first, n) of one size, borders at multiples of it; each part has every so-manieth.
///
/// From the front on, with no worker far ahead of others: a worker that is ahead takes chunks of
/// theirs. So searches in the same elements read the same chunks on the same workers, whose
/// processors still have the page translations.
/// Threads: any.
class search_claims {
 public:
  static constexpr std::size_t max_parts = parted_claims::max_parts;

  search_claims(std::size_t first, std::size_t n, std::size_t size, std::size_t num_parts) noexcept
      : first_(first),
        n_(n),
        size_(std::max<std::size_t>(size, 1)),
        num_parts_(std::clamp<std::size_t>(num_parts, 1, max_parts)),
        end_(n) {
    for (std::size_t i = 0; i < num_parts_; ++i) {
      parts_[(first / size_ + i) % num_parts_].next.store(first / size_ + i,
                                                          std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::size_t num_parts() const noexcept { return num_parts_; }
  [[nodiscard]] std::size_t size_of_first() const noexcept {
    return std::min(n_, (first_ / size_ + 1) * size_) - first_;
  }

  /// The next chunk of part `own`, or of the one that is furthest behind; none: there is none that
  /// begins in front of the end.
  [[nodiscard]] std::optional<tile> claim(std::size_t own) noexcept {
    for (;;) {
      const std::size_t last = last_part();
      const std::size_t slack = 2 * num_parts_;
      const bool is_ahead = next(own) > next(last) + slack || next(own) * size_ >= end();
      const std::size_t part = is_ahead ? last : own;
      if (next(part) * size_ >= end()) {
        return std::nullopt;
      }
      const std::size_t i = parts_[part].next.fetch_add(num_parts_, std::memory_order_relaxed);
      if (i * size_ < end()) {
        return tile{.index = i,
                    .first = std::max(first_, i * size_),
                    .last = std::min(n_, (i + 1) * size_)};
      }
    }
  }

  /// Where the hit lies that is known to be first, or n. relaxed: only a number.
  [[nodiscard]] std::size_t end() const noexcept { return end_.load(std::memory_order_relaxed); }
  /// Says that there is a hit at `i`: what lies behind it need not be searched.
  void end_at(std::size_t i) noexcept {
    std::size_t before = end();
    while (i < before && !end_.compare_exchange_weak(before, i, std::memory_order_relaxed)) {
    }
  }
  /// Nobody gets another chunk.
  void stop() noexcept { end_at(0); }

 private:
  struct alignas(128) progress {
    std::atomic<std::size_t> next{0};  // relaxed: who works on what orders nothing
  };

  [[nodiscard]] std::size_t next(std::size_t i) const noexcept {
    return parts_[i].next.load(std::memory_order_relaxed);
  }
  /// The part that is furthest behind.
  [[nodiscard]] std::size_t last_part() const noexcept {
    std::size_t found = 0;
    for (std::size_t i = 1; i < num_parts_; ++i) {
      found = next(i) < next(found) ? i : found;
    }
    return found;
  }

  std::size_t first_;
  std::size_t n_;
  std::size_t size_;
  std::size_t num_parts_;
  alignas(128) std::atomic<std::size_t> end_;
  std::array<progress, max_parts> parts_;
};

}  // namespace weft::algorithms::detail
