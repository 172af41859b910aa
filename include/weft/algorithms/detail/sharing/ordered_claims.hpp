// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a range that workers take one after the other.
#pragma once

#include <algorithm>
#include <array>
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

/// Tiles of equal size, the last one shorter, claimed in order: the worker of tile i knows that all
/// before it are done or claimed.
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
  chunk_claims() noexcept = default;
  chunk_claims(std::size_t first, std::size_t n, const rule& how) noexcept
      : next_(first), n_(n), how_(how) {}

  /// Begins anew. Only before others know of it.
  void reset(std::size_t first, std::size_t n, const rule& how) noexcept {
    n_ = n;
    how_ = how;
    next_.store(first, std::memory_order_relaxed);
  }

  [[nodiscard]] static std::size_t num_parts() noexcept { return 1; }
  [[nodiscard]] std::size_t size_of_first() const noexcept { return size_of_next(rest()); }

  [[nodiscard]] std::optional<tile> claim(std::size_t /*part*/ = 0) noexcept {
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

  [[nodiscard]] std::size_t end() const noexcept { return n_; }
  /// The number of unclaimed elements; approximate.
  [[nodiscard]] std::size_t rest() const noexcept {
    const std::size_t next = next_.load(std::memory_order_relaxed);
    return next < n_ ? n_ - next : 0;
  }

  [[nodiscard]] std::size_t size_of_next(std::size_t rest) const noexcept {
    const std::size_t wanted =
        how_.divisor == 0 ? how_.min_size : std::max(how_.min_size, rest / how_.divisor);
    const std::size_t over = wanted % how_.multiple_of;
    return std::min(rest, over == 0 ? wanted : wanted + how_.multiple_of - over);
  }

 private:
  alignas(128) std::atomic<std::size_t> next_{0};
  std::size_t n_ = 0;
  rule how_;
};

/// Which end of a part its chunks are taken from first.
enum class sweep : bool { forwards, backwards };

/// The same with one part for each member of a crew, which helps with other parts when its own is
/// done.
///
/// Calls over the same elements have the same parts, so that a worker's data may still be in or
/// near its caches. For the same reason every other call processes its parts backwards. If a part
/// is larger than a cache, its end is still cached from the last call.
/// Threads: `claim` and `stop` from any.
class parted_claims {
 public:
  static constexpr std::size_t max_parts = 16;

  /// Borders of parts are about i n / num_parts, chunks and borders multiples of `unit` from
  /// `first` on.
  parted_claims(std::size_t first,
                std::size_t n,
                const chunk_claims::rule& how,
                std::size_t num_parts,
                sweep way = sweep::forwards) noexcept
      : num_parts_(std::clamp<std::size_t>(num_parts, 1, max_parts)), way_(way) {
    const std::size_t unit = how.divisor == 0 ? how.min_size : how.multiple_of;
    chunk_claims::rule in_part = how;
    in_part.divisor = how.divisor == 0 ? 0 : std::max(how.divisor / num_parts_, std::size_t{1});
    std::size_t begin = first;
    for (std::size_t i = 0; i < num_parts_; ++i) {
      const std::size_t share = n / num_parts_ * (i + 1);
      const std::size_t wanted = share <= first ? 0 : (share - first + unit - 1) / unit * unit;
      const std::size_t end = i + 1 == num_parts_ ? n : std::clamp(first + wanted, begin, n);
      borders_[i] = begin;
      // Backwards, chunks are counted from the unit that the last element is in.
      const std::size_t over = (end - begin) % unit;
      parts_[i].reset(
          begin, over == 0 || way == sweep::forwards ? end : end + (unit - over), in_part);
      begin = end;
    }
    borders_[num_parts_] = n;
  }

  [[nodiscard]] std::size_t num_parts() const noexcept { return num_parts_; }
  /// 0: there is no chunk.
  [[nodiscard]] std::size_t size_of_first() const noexcept {
    std::size_t size = 0;
    for (std::size_t i = 0; i < num_parts_ && size == 0; ++i) {
      size = parts_[i].size_of_first();
    }
    return size;
  }

  /// A chunk of part `own`, or of the one with most left.
  [[nodiscard]] std::optional<tile> claim(std::size_t own) noexcept {
    for (std::size_t part = own; part != num_parts_; part = fullest()) {
      if (const std::optional<tile> mine = parts_[part].claim()) {
        return way_ == sweep::forwards ? *mine : mirrored(*mine, part);
      }
    }
    return std::nullopt;
  }
  void stop() noexcept {
    for (std::size_t i = 0; i < num_parts_; ++i) {
      parts_[i].stop();
    }
  }

 private:
  /// As far from the end of the part as that is from its begin.
  [[nodiscard]] tile mirrored(const tile& chunk, std::size_t part) const noexcept {
    const std::size_t both = borders_[part] + parts_[part].end();
    return {.index = chunk.index,
            .first = both - chunk.last,
            .last = std::min(both - chunk.first, borders_[part + 1])};
  }

  /// `num_parts_`: all are empty.
  [[nodiscard]] std::size_t fullest() const noexcept {
    std::size_t most = 0;
    std::size_t found = num_parts_;
    for (std::size_t i = 0; i < num_parts_; ++i) {
      const std::size_t rest = parts_[i].rest();
      if (rest > most) {
        most = rest;
        found = i;
      }
    }
    return found;
  }

  std::size_t num_parts_;
  sweep way_;
  std::array<std::size_t, max_parts + 1> borders_;  // NOLINT: as many as there are parts, and one
  std::array<chunk_claims, max_parts> parts_;
};

}  // namespace weft::algorithms::detail
