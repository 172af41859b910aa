// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prefix of each tile of a scan, known as early as the tiles in front allow.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <sched.h>

#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/tasks/this_task.hpp"

namespace weft::algorithms::detail {

/// The tile size that the policy explicitly requests, or else `size`.
[[nodiscard]] inline std::size_t chosen_tile(const loop_policy& how,
                                             std::size_t rest,
                                             std::size_t shares,
                                             std::size_t size) {
  return how.has_own_chunks()
             ? std::clamp<std::size_t>(chosen_rule(how, rest, shares).min_size, 1, rest)
             : size;
}

/// A wait that is short unless the one waited for lost its processor or waits itself.
class patience {
 public:
  /// Errors:  those of `this_task::yield`.
  void wait() {
    if (num_waits_ < num_spins) {
      ++num_waits_;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
      return;
    }
    this_task::yield();  // the one in front may be a task that waits for this worker,
    sched_yield();       // or an OS thread that waits for this processor
  }

 private:
  static constexpr int num_spins = 512;  // some 10 us: a few tiles
  int num_waits_ = 0;
};

/// The table of a single-pass scan: the sum of each tile and of all up to it, as they become known.
///
/// Tiles must be claimed in order, and each claimed one ends in `publish_prefix` or `fail`; then
/// some worker always makes progress, with one worker too. The operation need not be commutative.
/// Cost:    a cache line or more for each tile.
/// Threads: any; each tile is published by its claimant only.
/// Source:  Merrill, Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
template <class T>
class look_back {
 public:
  /// Makes a table for `num_tiles`; `start` stands before the first. Without memory it is not
  /// ready, and of no use.
  look_back(std::size_t num_tiles, T start)
      : slots_(new(std::nothrow) slot[num_tiles]), start_(std::move(start)) {}

  [[nodiscard]] bool is_ready() const noexcept { return slots_ != nullptr; }

  /// Whether the tile directly in front has published its prefix.
  [[nodiscard]] bool is_known_before(std::size_t tile) const noexcept {
    return tile == 0 || slots_[tile - 1].known() == state::prefix;
  }

  /// The prefix of the tile if it is known without waiting.
  template <class Op>
  [[nodiscard]] std::optional<T> try_before(std::size_t tile, Op& op) {
    std::optional<T> sum;
    for (std::size_t i = tile; i != 0; --i) {
      const state known = slots_[i - 1].known();
      if (known == state::prefix) {
        return joined(slots_[i - 1].prefix(), std::move(sum), op);
      }
      if (known != state::sum) {
        return std::nullopt;
      }
      sum = joined(slots_[i - 1].sum(), std::move(sum), op);
    }
    return joined(start_, std::move(sum), op);
  }

  /// The prefix of the tile, after waiting; nothing if a tile in front failed.
  template <class Op>
  [[nodiscard]] std::optional<T> before(std::size_t tile, Op& op) {
    std::optional<T> sum;
    patience neighbour;
    for (std::size_t i = tile; i != 0; --i) {
      state known = slots_[i - 1].known();
      for (; known == state::nothing; known = slots_[i - 1].known()) {
        neighbour.wait();
      }
      if (known == state::failed) {
        return std::nullopt;
      }
      if (known == state::prefix) {
        return joined(slots_[i - 1].prefix(), std::move(sum), op);
      }
      sum = joined(slots_[i - 1].sum(), std::move(sum), op);
    }
    return joined(start_, std::move(sum), op);
  }

  /// As `before`, but always the prefix of the neighbour: the same bits however the workers ran.
  [[nodiscard]] std::optional<T> before_in_order(std::size_t tile) {
    if (tile == 0) {
      return start_;
    }
    patience neighbour;
    state known = slots_[tile - 1].known();
    for (; known == state::nothing || known == state::sum; known = slots_[tile - 1].known()) {
      neighbour.wait();
    }
    if (known == state::failed) {
      return std::nullopt;
    }
    return slots_[tile - 1].prefix();
  }

  void publish_sum(std::size_t tile, const T& sum) { slots_[tile].publish_sum(sum); }
  void publish_prefix(std::size_t tile, const T& prefix) { slots_[tile].publish_prefix(prefix); }
  /// Lets those behind give up.
  void fail(std::size_t tile) noexcept { slots_[tile].fail(); }

  /// The total of all tiles. Only when all are published.
  [[nodiscard]] const T& total(std::size_t num_tiles) const noexcept {
    return num_tiles == 0 ? start_ : slots_[num_tiles - 1].prefix();
  }

 private:
  enum class state : std::uint8_t { nothing, sum, prefix, failed };

  // One alignas: of two, g++ takes the last and clang the larger, and then a program's slots have
  // another size than the library's.
  static constexpr std::size_t slot_alignment = std::max<std::size_t>(64, alignof(T));
  class alignas(slot_alignment) slot {
   public:
    slot() noexcept {}  // not = default: the unions have members of any type
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
    ~slot() {
      if (has_sum_) {
        std::destroy_at(std::addressof(sum_));
      }
      if (has_prefix_) {
        std::destroy_at(std::addressof(prefix_));
      }
    }

    // acquire: pairs with the releases below
    [[nodiscard]] state known() const noexcept { return known_.load(std::memory_order_acquire); }
    [[nodiscard]] const T& sum() const noexcept { return sum_; }
    [[nodiscard]] const T& prefix() const noexcept { return prefix_; }

    void publish_sum(const T& sum) {
      std::construct_at(std::addressof(sum_), sum);
      has_sum_ = true;
      known_.store(state::sum, std::memory_order_release);  // pairs with known()
    }
    void publish_prefix(const T& prefix) {
      std::construct_at(std::addressof(prefix_), prefix);
      has_prefix_ = true;
      known_.store(state::prefix, std::memory_order_release);  // pairs with known()
    }
    // release: pairs with known(); what the tile did before it failed ends first
    void fail() noexcept { known_.store(state::failed, std::memory_order_release); }

   private:
    std::atomic<state> known_{state::nothing};
    bool has_sum_ = false;  // this and the next are the claimant's, and the destructor's
    bool has_prefix_ = false;
    union {
      T sum_;
    };
    union {
      T prefix_;
    };
  };

  static_assert(alignof(slot) >= 64 && alignof(slot) >= alignof(T) && sizeof(slot) >= 64);

  template <class Op>
  static std::optional<T> joined(const T& front, std::optional<T> sum, Op& op) {
    if (!sum) {
      return std::optional<T>(std::in_place, front);
    }
    return std::optional<T>(std::in_place, op(front, *std::move(sum)));
  }

  std::unique_ptr<slot[]> slots_;
  T start_;
};

}  // namespace weft::algorithms::detail
