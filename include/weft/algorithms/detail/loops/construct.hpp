// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constructs objects in raw memory by chunks, and destroys what was made when a constructor throws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/memory/reserved.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft::algorithms::detail {

/// The index ranges whose objects exist: few at any time, since neighbours are joined and chunks
/// are taken side by side.
class built_ranges {
 public:
  /// Whether there was memory.
  explicit built_ranges(std::size_t shares) noexcept
      : ranges_(reserved<range>(ranges_per_share * (shares + 1))) {}
  explicit operator bool() const noexcept { return ranges_.capacity() != 0; }

  /// Threads: any.
  void add(std::size_t first, std::size_t last) {
    const std::scoped_lock lock(mutex_);
    const auto next = std::ranges::lower_bound(ranges_, first, {}, &range::first);
    const bool joins_next = next != ranges_.end() && next->first == last;
    const bool joins_last = next != ranges_.begin() && std::prev(next)->last == first;
    if (joins_last) {
      std::prev(next)->last = joins_next ? next->last : last;
      if (joins_next) {
        ranges_.erase(next);
      }
    } else if (joins_next) {
      next->first = first;
    } else {
      ranges_.insert(next, {first, last});
    }
  }

  /// Threads: one, after all others.
  template <class It>
  void destroy(It first) const noexcept {
    for (const range& each : ranges_) {
      std::destroy(at(first, each.first), at(first, each.last));
    }
  }

 private:
  struct range {
    std::size_t first;
    std::size_t last;
  };
  static constexpr std::size_t ranges_per_share = 8;

  std::mutex mutex_;
  std::vector<range> ranges_;  // in order, none next to another
};

/// As construct_chunks, where chunks that others made must not stay if one throws.
template <class How, class Out, class Construct>
[[gnu::noinline]] void construct_chunks_or_none(const How& how,
                                                loop_shape shape,
                                                cost_record& costs,
                                                Out out,
                                                const handed_body<Construct> construct) {
  built_ranges built(num_shares(how));
  if (!built) {
    construct(std::size_t{0}, shape.n);
    return;
  }
  const auto construct_and_note = [&](std::size_t from, std::size_t to) {
    construct(from, to);
    if (to - from == shape.n) {
      return;
    }
    try {
      built.add(from, to);
    } catch (...) {
      std::destroy(at(out, from), at(out, to));
      throw;
    }
  };
  try {
    for_chunks(how, shape, costs, construct_and_note);
  } catch (...) {
    built.destroy(out);
    throw;
  }
}

/// Calls construct(from, to), which leaves nothing behind if it throws, for chunks of the shape.
template <bool can_throw, class How, class Out, class Construct>
[[gnu::always_inline]] inline void construct_chunks(
    const How& how, loop_shape shape, cost_record& costs, Out out, const Construct& construct) {
  if constexpr (!can_throw || std::is_trivially_destructible_v<std::iter_value_t<Out>>) {
    for_chunks(how, shape, costs, construct);
  } else if (may_be_short<How> && costs.is_short(shape.n, unordered_limits.short_ns)) {
    construct(std::size_t{0}, shape.n);
  } else {
    construct_chunks_or_none(how, shape, costs, out, handed_body<const Construct>(construct));
  }
}

}  // namespace weft::algorithms::detail
