// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of all blocks of a range by those that come.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/kernels/scan_kernels.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/scanning/look_back.hpp"
#include "weft/algorithms/detail/scanning/scan_block.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sharing/ordered_claims.hpp"

namespace weft::algorithms::detail {

// NOLINTBEGIN(readability-function-size): what a scan is made of
/// A scan's arguments but for its extent.
template <scan_kind which_kind,
          bool is_regrouped,
          class Value,
          class It,
          class Out,
          class Op,
          class Map>
struct scan_work {
  using T = Value;
  static constexpr scan_kind kind = which_kind;
  It in;
  Out out;
  Op& op;
  Map& map;
  bool streams = false;

  static constexpr bool may_stream = over_values<Out, T> && streamable<T>;
  static constexpr bool may_read_ahead =
      may_stream && has_kernel_past_caches<is_regrouped, T, It, Op, Map>;

  /// Whether the results of `n` elements should pass by the caches: not where the elements are.
  [[nodiscard]] bool should_pass_by(std::size_t n) const {
    if constexpr (may_stream) {
      if constexpr (std::contiguous_iterator<It>) {
        const volatile void* const from = std::to_address(in);
        const volatile void* const to = std::to_address(out);
        return should_stream(n * sizeof(T)) && from != to;
      } else {
        return should_stream(n * sizeof(T));
      }
    } else {
      return false;
    }
  }

  [[nodiscard]] T scan(T sum, std::size_t first, std::size_t last) const {
    if constexpr (may_stream) {
      if (streams) {
        T next = sum;
        const It from = advanced(in, first);
        T* const to = std::to_address(advanced(out, first));
        write_large(
            stream_kind::scan,
            (last - first) * sizeof(T),
            [&] {
              next = stream_scan_block<kind, is_regrouped>(sum, from, last - first, to, op, map);
              stream_fence();
            },
            [&] { next = scan_some<kind, is_regrouped>(sum, from, last - first, to, op, map); });
        return next;
      }
    }
    return scan_in_caches(std::move(sum), first, last);
  }
  [[nodiscard]] T scan_in_caches(T sum, std::size_t first, std::size_t last) const {
    return scan_some<kind, is_regrouped>(
        std::move(sum), advanced(in, first), last - first, advanced(out, first), op, map);
  }
  [[nodiscard]] T sum(std::size_t first, std::size_t last) const {
    return sum_some<is_regrouped, T>(advanced(in, first), last - first, op, map);
  }

  /// Whether to read the next tile while one is written. True for non-temporal stores that a trial
  /// chose, if a kernel can sum numbers while its stores are in flight.
  [[nodiscard]] bool reads_ahead() const noexcept {
    if constexpr (may_read_ahead) {
      return streams && trial_of(stream_kind::scan).verdict() == stream_trial::choice::streamed &&
             kernels::can_pass_caches<T>(std::to_address(out));
    } else {
      return false;
    }
  }
  /// Scans a tile behind `before`, and returns the sum of the next one. Only where it reads ahead.
  [[nodiscard]] T scan_and_sum(T before, const tile& mine, const tile& next) const
    requires may_read_ahead
  {
    const T* const from = std::to_address(in);
    T sum_of_next{};
    static_cast<void>(kernels::running_sums_past < kind ==
                      scan_kind::inclusive >
                          (std::span<const T>(from + mine.first, mine.last - mine.first),
                           std::to_address(out) + mine.first,
                           before,
                           std::span<const T>(from + next.first, next.last - next.first),
                           sum_of_next));
    stream_fence();
    return sum_of_next;
  }
};

/// Scans one tile; whether nothing in front failed.
///
/// A tile with a known prefix is scanned at once. For another, the sum is published for the tiles
/// behind while those in front find theirs; it is scanned from the cache afterwards.
template <bool is_deterministic, class Work>
[[nodiscard]] bool scan_tile(const Work& work, const tile& t, look_back<typename Work::T>& sums) {
  using value = typename Work::T;
  if constexpr (is_deterministic) {
    const value sum = work.sum(t.first, t.last);
    std::optional<value> before = sums.before_in_order(t.index);
    if (!before) {
      return false;
    }
    sums.publish_prefix(t.index, work.op(*before, sum));
    static_cast<void>(work.scan(*std::move(before), t.first, t.last));
    return true;
  } else {
    std::optional<value> before = sums.try_before(t.index, work.op);
    if (before) {
      sums.publish_prefix(t.index, work.scan(*std::move(before), t.first, t.last));
      return true;
    }
    const value sum = work.sum(t.first, t.last);
    sums.publish_sum(t.index, sum);
    before = sums.before(t.index, work.op);
    if (!before) {
      return false;
    }
    sums.publish_prefix(t.index, work.op(*before, sum));
    static_cast<void>(work.scan(*std::move(before), t.first, t.last));
    return true;
  }
}

/// Scans `mine` and the tiles that this worker claims next, and reads the following tile during
/// each scan. So reads and writes of memory overlap.
///
/// Returns whether no earlier tile failed. If the next tile is the direct neighbour, returns with
/// it in `in_hand`: no other worker is active then, and the neighbour's start is known.
template <class Work, class Claim>
[[nodiscard]] bool scan_reading_ahead(const Work& work,
                                      tile mine,
                                      std::optional<tile>& in_hand,
                                      Claim& claim,
                                      look_back<typename Work::T>& sums) {
  using value = typename Work::T;
  value sum = work.sum(mine.first, mine.last);
  for (;;) {
    sums.publish_sum(mine.index, sum);
    std::optional<value> before = sums.before(mine.index, work.op);
    if (!before) {
      return false;
    }
    sums.publish_prefix(mine.index, work.op(*before, sum));
    const std::optional<tile> next = claim();
    in_hand = next;
    try {
      if (!next || next->index == mine.index + 1) {
        static_cast<void>(work.scan(*std::move(before), mine.first, mine.last));
        return true;
      }
      sum = work.scan_and_sum(*std::move(before), mine, *next);
      mine = *next;
    } catch (...) {
      sums.fail(mine.index);
      throw;
    }
  }
}

/// How many elements a tile has: what fits into a cache beside what is written, and enough tiles
/// for all that may come.
template <class T>
[[nodiscard]] inline std::size_t scan_tile_size(std::size_t n,
                                                std::size_t shares,
                                                bool reads_ahead) noexcept {
  const std::size_t bytes = std::size_t{reads_ahead ? 256U : 128U} << 10U;
  const std::size_t in_cache = std::max<std::size_t>(64, bytes / sizeof(T));
  const std::size_t even = n / (4 * shares);
  return even >= in_cache ? in_cache : std::max<std::size_t>(1, even);
}

/// Of deterministic scans: the same for any number of workers.
inline constexpr std::size_t fixed_scan_tile = 4096;

/// Scans `mine`, the tile in hand, or several, and claims the next one; whether nothing in front
/// failed.
template <bool is_deterministic, class Work, class Claim>
[[nodiscard]] bool scan_next(const Work& work,
                             const tile& mine,
                             std::optional<tile>& in_hand,
                             Claim& claim,
                             look_back<typename Work::T>& sums) {
  if constexpr (!is_deterministic && Work::may_read_ahead) {
    if (work.reads_ahead() && !sums.is_known_before(mine.index)) {
      return scan_reading_ahead(work, mine, in_hand, claim, sums);
    }
  }
  if (!scan_tile<is_deterministic>(work, mine, sums)) {
    return false;
  }
  in_hand = claim();
  return true;
}

/// Scans tiles of what comes behind `first`, until there is none or one failed. Tiles that are not
/// claimed here are another's.
template <bool is_deterministic, class Work, class Claims>
void scan_claimed(const Work& work,
                  Claims& claims,
                  std::size_t first,
                  look_back<typename Work::T>& sums) {
  const auto claim = [&]() -> std::optional<tile> {
    const std::optional<tile> next = claims.claim();
    return next ? std::optional<tile>({next->index, next->first + first, next->last + first})
                : std::nullopt;
  };
  std::optional<tile> in_hand = claim();
  try {
    while (in_hand) {
      const tile mine = *in_hand;
      if (!scan_next<is_deterministic>(work, mine, in_hand, claim, sums)) {
        sums.fail(in_hand->index);
        return;
      }
    }
  } catch (...) {
    if (in_hand) {
      sums.fail(in_hand->index);
    }
    claims.stop();
    throw;
  }
}

/// Scans [first, n) behind `sum` by all that come.
template <bool is_deterministic, class Work>
void scan_in_tiles(
    const loop_policy& how, Work& work, std::size_t first, std::size_t n, typename Work::T sum) {
  using value = typename Work::T;
  // deterministic: what passes by the caches is grouped as lines are, which is up to the address
  work.streams = !is_deterministic && work.should_pass_by(n - first);
  const std::size_t shares = num_shares(how);
  const std::size_t tile_size =
      is_deterministic ? fixed_scan_tile
                       : chosen_tile(how,
                                     n - first,
                                     shares,
                                     scan_tile_size<value>(n - first, shares, work.reads_ahead()));
  ordered_claims claims(n - first, tile_size);
  look_back<value> sums(claims.num_tiles(), sum);
  if (!sums.is_ready() || shares == 1) {
    if constexpr (is_deterministic) {
      for (; n - first > tile_size; first += tile_size) {
        value next = work.op(sum, work.sum(first, first + tile_size));  // before it is overwritten
        static_cast<void>(work.scan(std::move(sum), first, first + tile_size));
        sum = std::move(next);
      }
    }
    static_cast<void>(work.scan(std::move(sum), first, n));
    return;
  }
  loop_facts facts{.num_elements = n - first};
  facts.num_chunks.store(claims.num_tiles(), std::memory_order_relaxed);
  const auto share = [&](std::size_t /*share*/) {
    scan_claimed<is_deterministic>(work, claims, first, sums);
  };
  region(how, std::min(shares, claims.num_tiles()), share, &facts);
  report(how,
         {.num_elements = n,
          .num_cores = shares,
          .num_chunks = claims.num_tiles(),
          .chunk_size = tile_size});
}

/// Scans [first, n) behind `sum`, the caller alone first.
template <class How, class Work>
[[gnu::always_inline]] inline void scan_from_front(const How& how,
                                                   Work& work,
                                                   std::size_t first,
                                                   std::size_t n,
                                                   cost_record& costs,
                                                   typename Work::T& sum) {
  const std::size_t rest = n - first;
  const std::size_t stop = run_front(
      how, {rest, 2 * sizeof(typename Work::T), 1}, costs, [&](std::size_t begin, std::size_t end) {
        sum = work.scan(std::move(sum), first + begin, first + end);
      });
  if (stop != rest) [[unlikely]] {
    scan_in_tiles<false>(how, work, first + stop, n, std::move(sum));
  }
}

/// The same with non-temporal stores, also by the caller.
template <class How, class Work>
[[gnu::noinline]] void scan_past_caches(const How& how,
                                        Work& work,
                                        std::size_t first,
                                        std::size_t n,
                                        cost_record& costs,
                                        typename Work::T& sum) {
  work.streams = true;
  scan_from_front(how, work, first, n, costs, sum);
}

/// As scan_behind for sums of numbers that kernels add, unless those are known to be short.
#define WEFT_DECLARE_NUMBER_SCAN(number)                      \
  void scan_numbers(const loop_policy& how,                   \
                    cost_record& costs,                       \
                    scan_kind kind,                           \
                    const kernels::scan_range<number>& range, \
                    number before)
WEFT_DECLARE_NUMBER_SCAN(std::uint32_t);
WEFT_DECLARE_NUMBER_SCAN(std::uint64_t);
WEFT_DECLARE_NUMBER_SCAN(float);
WEFT_DECLARE_NUMBER_SCAN(double);
#undef WEFT_DECLARE_NUMBER_SCAN

template <class How, class Work>
[[gnu::noinline]] void scan_numbers_of(const How& how,
                                       cost_record& costs,
                                       const Work& work,
                                       std::size_t first,
                                       std::size_t n,
                                       typename Work::T sum) {
  using number = typename kernels::scan_number<typename Work::T>::type;
  scan_numbers(
      how,
      costs,
      Work::kind,
      kernels::scan_range<number>{kernels::data_of<number>(work.in) + first,
                                  reinterpret_cast<number*>(std::to_address(work.out)) + first,
                                  n - first},
      static_cast<number>(sum));
}

/// Scans [first, n) behind `sum`.
template <class How, class Work>
[[gnu::always_inline]] inline void scan_behind(const How& how,
                                               Work& work,
                                               std::size_t first,
                                               std::size_t n,
                                               cost_record& costs,
                                               typename Work::T sum) {
  using value = typename Work::T;
  if constexpr (How::is_deterministic && !std::integral<value>) {
    if (n - first > fixed_scan_tile) {
      scan_in_tiles<true>(how, work, first, n, std::move(sum));
    } else {
      static_cast<void>(work.scan(std::move(sum), first, n));
    }
  } else if constexpr (Work::may_read_ahead) {
    if (may_be_short<How> && costs.is_short(n - first)) [[likely]] {
      static_cast<void>(work.scan_in_caches(sum, first, n));
    } else {
      scan_numbers_of(how, costs, work, first, n, sum);
    }
  } else {
    if (work.should_pass_by(n - first)) [[unlikely]] {
      scan_past_caches(how, work, first, n, costs, sum);
    } else {
      scan_from_front(how, work, first, n, costs, sum);
    }
  }
}

// NOLINTEND(readability-function-size)
}  // namespace weft::algorithms::detail
