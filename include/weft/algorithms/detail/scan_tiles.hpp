// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans of one block, and of all blocks of a range by those that come.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/engine.hpp"
#include "weft/algorithms/detail/keep_mask.hpp"
#include "weft/algorithms/detail/look_back.hpp"
#include "weft/algorithms/detail/map.hpp"
#include "weft/algorithms/detail/number_kernels.hpp"
#include "weft/algorithms/detail/scan_kernels.hpp"
#include "weft/algorithms/detail/streaming.hpp"
#include "weft/algorithms/detail/wide.hpp"

namespace weft::algorithms::detail {

enum class scan_kind : bool { inclusive, exclusive };

/// Leaves an element as it is.
struct as_it_is {
  template <class T>
  [[nodiscard]] constexpr T&& operator()(T&& x) const noexcept {
    return static_cast<T&&>(x);
  }
};

/// Sums of floating-point numbers, which take long to wait for and little to do: four are added to
/// each other before they meet the sum so far, which then is one addition for four elements.
template <class T, class Op, class X>
inline constexpr bool is_floating_sum =
    std::floating_point<T> && std::same_as<T, std::remove_cvref_t<X>> &&
    (std::same_as<Op, std::plus<>> || std::same_as<Op, std::plus<T>>);

// NOLINTBEGIN(readability-function-size): what a scan is made of
/// Writes the scan of `n` elements behind `sum`, and returns the sum that comes after them.
template <scan_kind kind, class T, class It, class Out, class Op, class Map>
[[nodiscard]] inline T scan_block(T sum, It in, std::size_t n, Out out, Op& op, Map& map) {
  if constexpr (is_floating_sum<T, Op, decltype(map(*in))> && std::random_access_iterator<It> &&
                std::random_access_iterator<Out>) {
    for (; n >= 4; n -= 4, in += 4, out += 4) {
      const T one = map(in[0]);
      const T two = one + map(in[1]);
      const T third = map(in[2]);
      const T three = two + third;
      const T four = two + (third + map(in[3]));
      if constexpr (kind == scan_kind::inclusive) {
        out[0] = sum + one;
        out[1] = sum + two;
        out[2] = sum + three;
        sum += four;
        out[3] = sum;
      } else {
        out[0] = sum;
        out[1] = sum + one;
        out[2] = sum + two;
        out[3] = sum + three;
        sum += four;
      }
    }
  }
  for (; n != 0; --n, static_cast<void>(++in), static_cast<void>(++out)) {
    if constexpr (kind == scan_kind::inclusive) {
      sum = op(std::move(sum), map(*in));
      *out = sum;
    } else {
      T next = op(sum, map(*in));  // before the output, which may be the input
      *out = std::move(sum);
      sum = std::move(next);
    }
  }
  return sum;
}

/// The sum of `n` elements, at least one.
template <class T, class It, class Op, class Map>
[[nodiscard]] inline T sum_block(It in, std::size_t n, Op& op, Map& map) {
  T sum = map(*in);
  ++in;
  --n;
  if constexpr (is_floating_sum<T, Op, decltype(map(*in))>) {
    T second = kernels::nothing_to_add<T>;
    T third = second;
    T fourth = second;
    for (; n >= 8; n -= 8, in += 8) {
      sum += map(in[0]) + map(in[1]);
      second += map(in[2]) + map(in[3]);
      third += map(in[4]) + map(in[5]);
      fourth += map(in[6]) + map(in[7]);
    }
    sum = (sum + second) + (third + fourth);
  }
  for (; n != 0; --n, static_cast<void>(++in)) {
    sum = op(std::move(sum), map(*in));
  }
  return sum;
}

/// Contiguous objects of type T, which are not volatile.
template <class It, class T>
concept over_values = std::contiguous_iterator<It> && std::same_as<std::iter_value_t<It>, T> &&
                      !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<It>>>;

/// Whether compiled kernels add the elements, which regroup those of floating-point numbers as the
/// machine's vectors are.
template <class T, class It, class Op>
inline constexpr bool has_scan_kernel =
    kernels::scannable<T> && kernels::is_plus<Op, T> && over_values<It, T>;

/// The same for elements that are computed: a few at a time, then their running sums.
template <class T, class It, class Op, class Map>
inline constexpr bool has_staged_scan_kernel =
    kernels::scannable<T> && kernels::is_plus<Op, T> && std::random_access_iterator<It> &&
    std::same_as<T, std::remove_cvref_t<std::invoke_result_t<Map&, std::iter_reference_t<It>>>>;

/// The scan of computed elements, a multiple of block_length<T>; returns the sum behind it.
template <scan_kind kind, class T, class It, class Map>
[[nodiscard]] T scan_staged(T sum, It in, std::size_t n, T* out, Map& map) {
  constexpr std::size_t length = block_length<T>;
  constexpr std::size_t most = 8 * length;
  run_vectorized([&]() __attribute__((always_inline)) {
    alignas(cache_line_bytes) std::array<T, most> stage;  // NOLINT: filled before it is read
    auto mapped = held<std::iter_reference_t<It>>(map);
    for (std::size_t first = 0; first != n;) {
      const std::size_t count = std::min(most, n - first);
      for (std::size_t row = 0; row != count; row += length) {
        WEFT_INDEPENDENT_ITERATIONS
        for (std::size_t i = 0; i < length; ++i) {
          stage[row + i] = mapped(element(in, first + row + i));
        }
      }
      sum = kernels::running_sums < kind ==
            scan_kind::inclusive > (stage.data(), count, out + first, sum);
      first += count;
    }
  });
  return sum;
}

/// As scan_block, by kernels where there are any and the grouping may depend on the machine.
template <scan_kind kind, bool is_regrouped, class T, class It, class Out, class Op, class Map>
[[nodiscard]] inline T scan_some(T sum, It in, std::size_t n, Out out, Op& op, Map& map) {
  if constexpr ((is_regrouped || std::integral<T>) && over_values<Out, T>) {
    if constexpr (std::same_as<Map, const as_it_is> || std::same_as<Map, as_it_is>) {
      if constexpr (has_scan_kernel<T, It, Op>) {
        if (n >= kernels::least_elements) {
          return kernels::running_sums < kind ==
                 scan_kind::inclusive > (std::to_address(in), n, std::to_address(out), sum);
        }
      }
    } else if constexpr (has_staged_scan_kernel<T, It, Op, Map>) {
      const std::size_t staged = n - n % block_length<T>;
      if (staged != 0) {
        sum = scan_staged<kind>(sum, in, staged, std::to_address(out), map);
        in = advanced(in, staged);
        out = advanced(out, staged);
        n -= staged;
      }
    }
  }
  return scan_block<kind>(std::move(sum), std::move(in), n, std::move(out), op, map);
}

/// As sum_block, in the same way.
template <bool is_regrouped, class T, class It, class Op, class Map>
[[nodiscard]] inline T sum_some(It in, std::size_t n, Op& op, Map& map) {
  if constexpr ((is_regrouped || std::integral<T>) && has_scan_kernel<T, It, Op> &&
                (std::same_as<Map, const as_it_is> || std::same_as<Map, as_it_is>)) {
    using number = typename kernels::scan_number<T>::type;
    return static_cast<T>(kernels::sum(kernels::data_of<number>(in), n));
  } else {
    return sum_block<T>(std::move(in), n, op, map);
  }
}

/// As scan_some, past the caches. Wants a stream_fence() before others are told.
template <scan_kind kind, bool is_regrouped, class T, class It, class Op, class Map>
[[nodiscard]] inline T stream_scan_block(T sum, It in, std::size_t n, T* out, Op& op, Map& map) {
  constexpr std::size_t at_once = stage_bytes / sizeof(T);
  alignas(cache_line_bytes) std::array<T, at_once> stage;
  // The address as a number: only its distance to the next line is wanted.
  const std::size_t past = std::bit_cast<std::uintptr_t>(out) % cache_line_bytes;
  const std::size_t head = past == 0 ? 0 : std::min(n, (cache_line_bytes - past) / sizeof(T));
  sum = scan_some<kind, is_regrouped>(std::move(sum), in, head, out, op, map);
  std::size_t i = head;
  for (; n - i >= at_once; i += at_once) {
    sum = scan_some<kind, is_regrouped>(
        std::move(sum), advanced(in, i), at_once, stage.data(), op, map);
    stream_copy(out + i, stage.data(), stage_bytes);
  }
  return scan_some<kind, is_regrouped>(std::move(sum), advanced(in, i), n - i, out + i, op, map);
}

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

  /// Whether the results of `n` elements should pass by the caches: not where the elements are.
  [[nodiscard]] bool should_pass_by(std::size_t n) const {
    if constexpr (may_stream) {
      if constexpr (std::contiguous_iterator<It>) {
        const void* const from = std::to_address(in);
        const void* const to = std::to_address(out);
        return n != 0 && from != to && should_stream(n * sizeof(T));
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
    return scan_some<kind, is_regrouped>(
        std::move(sum), advanced(in, first), last - first, advanced(out, first), op, map);
  }
  [[nodiscard]] T sum(std::size_t first, std::size_t last) const {
    return sum_some<is_regrouped, T>(advanced(in, first), last - first, op, map);
  }

 private:
  static constexpr bool may_stream = over_values<Out, T> && streamable<T>;
};

/// Scans one tile; whether nothing in front failed.
///
/// A tile whose start is known is scanned at once. For another, the sum is told to those behind
/// while those in front find theirs, and it is scanned from the cache afterwards.
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

/// How many elements a tile has: what fits into a cache beside what is written, and enough tiles
/// for all that may come.
template <class T>
[[nodiscard]] inline std::size_t scan_tile_size(std::size_t n, std::size_t shares) noexcept {
  constexpr std::size_t in_cache = std::max<std::size_t>(64, (std::size_t{128} << 10U) / sizeof(T));
  const std::size_t even = n / (4 * shares);
  return even >= in_cache ? in_cache : std::max<std::size_t>(1, even);
}

/// Of deterministic scans: the same for any number of workers.
inline constexpr std::size_t fixed_scan_tile = 4096;

/// Scans [first, n) behind `sum` by all that come.
template <bool is_deterministic, class How, class Work>
void scan_in_tiles(
    const How& how, Work& work, std::size_t first, std::size_t n, typename Work::T sum) {
  using value = typename Work::T;
  // deterministic: what passes by the caches is grouped as lines are, which is up to the address
  work.streams = !is_deterministic && work.should_pass_by(n - first);
  const std::size_t shares = num_shares(how);
  const std::size_t tile_size =
      is_deterministic
          ? fixed_scan_tile
          : chosen_tile(how, n - first, shares, scan_tile_size<value>(n - first, shares));
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
    while (const std::optional<tile> mine = claims.claim()) {
      const tile t{mine->index, mine->first + first, mine->last + first};
      try {
        if (!scan_tile<is_deterministic>(work, t, sums)) {
          sums.fail(t.index);
          return;
        }
      } catch (...) {
        sums.fail(t.index);
        claims.stop();
        throw;
      }
    }
  };
  region(how, std::min(shares, claims.num_tiles()), share, &facts);
  report(how,
         {.num_elements = n,
          .num_cores = shares,
          .num_chunks = claims.num_tiles(),
          .chunk_size = tile_size});
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
  } else {
    const std::size_t rest = n - first;
    const std::size_t stop = run_front(
        how, {rest, 2 * sizeof(value), 1}, costs, [&](std::size_t begin, std::size_t end) {
          sum = work.scan(std::move(sum), first + begin, first + end);
        });
    if (stop != rest) [[unlikely]] {
      scan_in_tiles<false>(how, work, first + stop, n, std::move(sum));
    }
  }
}

// NOLINTEND(readability-function-size)
}  // namespace weft::algorithms::detail
