// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings the elements that a predicate accepts before the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/compress.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/scanning/compaction_works.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sorting/exchange.hpp"
#include "weft/algorithms/detail/sorting/stable_halves.hpp"

namespace weft {

namespace algorithms::detail {

struct partition_call {
  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& predicate) {
    if constexpr (How::is_parallel && separate_outputs<It>) {
      static constinit cost_record costs;
      constexpr std::size_t bytes = sizeof(std::iter_value_t<It>);
      const auto n = static_cast<std::size_t>(last - first);
      const exchange_work<It, std::remove_reference_t<Predicate>> work{first, predicate};
      std::size_t middle = 0;
      const std::size_t stop =
          run_front(how, {n, 2 * bytes, 1}, costs, [&](std::size_t begin, std::size_t end) {
            middle = joined(first, middle, begin, work.partition(begin, end));
          });
      if (stop != n) {
        middle = joined(first, middle, stop, partition_by_all(how, work, stop, n, bytes));
      }
      return advanced(first, middle);
    } else {
      return std::partition(first, last, std::ref(predicate));
    }
  }

  /// Joins partitions of [0, begin) and of what follows, whose second parts begin at `middle` and
  /// `next_middle`.
  template <class It>
  static std::size_t joined(It first,
                            std::size_t middle,
                            std::size_t begin,
                            std::size_t next_middle) {
    const std::size_t n = std::min(begin - middle, next_middle - begin);
    std::swap_ranges(
        advanced(first, middle), advanced(first, middle + n), advanced(first, next_middle - n));
    return middle + (next_middle - begin);
  }
};

/// Copies what the predicate accepts to `yes` and the others to `no`.
template <class It, class Yes, class No, class Predicate>
struct copy_in_two {
  static constexpr bool looks_ahead = true;
  static constexpr bool may_stream =
      over_streamable_words<It, Yes> && over_streamable_words<It, No>;

  It first;
  Yes yes;
  No no;
  Predicate& predicate;
  bool streams = false;

  [[nodiscard]] std::uint64_t mask(std::size_t i, std::size_t n, std::size_t /*tile*/) const {
    const It here = advanced(first, i);
    return keep_mask<std::iter_value_t<It>>(n, [this, &here](std::size_t j) {
      return static_cast<bool>(predicate(*advanced(here, j)));
    });
  }
  void place(std::size_t i, std::size_t n, std::uint64_t mask, std::size_t kept) const {
    copy_masked(advanced(first, i), mask, advanced(yes, kept));
    copy_masked(advanced(first, i), ~mask & low_bits(n), advanced(no, i - kept));
  }
  std::size_t place_words(std::size_t i, const mask_words& which, std::size_t kept) const {
    const It from = advanced(first, i);
    const Yes to = advanced(yes, kept);
    const mask_words others{which.masks, which.num_masks, full_mask};
    if constexpr (may_stream) {
      if (streams) {
        const Yes end = write_words(from, which, to);
        write_words(from, others, advanced(no, i - kept));
        return static_cast<std::size_t>(end - to);
      }
    }
    const Yes end = copy_words(from, which, to);
    copy_words(from, others, advanced(no, i - kept));
    return static_cast<std::size_t>(end - to);
  }
  [[nodiscard]] bool prepare_tiles(compaction_state at, std::size_t /*tile_size*/, std::size_t n) {
    streams = may_stream && should_stream((n - at.done) * sizeof(std::iter_value_t<It>));
    return true;
  }
  void end_tile() const noexcept {
    if (streams) {
      stream_fence();
    }
  }
};

struct partition_copy_call {
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  template <class How, class It, class Yes, class No, class Predicate>
  [[gnu::always_inline]] static std::pair<Yes, No> run(
      const How& how, It first, It last, Yes yes, No no, Predicate&& predicate) {
    if constexpr (How::is_parallel && indexed_iterator<It> && separate_outputs<Yes> &&
                  separate_outputs<No>) {
      static constinit cost_record costs;
      const auto n = static_cast<std::size_t>(last - first);
      constexpr std::size_t few = 4;  // are put faster than masks of them are made
      if (may_be_short<How> && n <= few) {
        return std::partition_copy(first, last, yes, no, std::ref(predicate));
      }
      copy_in_two<It, Yes, No, std::remove_reference_t<Predicate>> work{
          first, yes, no, predicate, false};
      const std::size_t kept =
          compact<tiles_to_copy>(how, n, sizeof(std::iter_value_t<It>), {}, costs, work);
      return {advanced(yes, kept), advanced(no, n - kept)};
    } else {
      return std::partition_copy(first, last, yes, no, std::ref(predicate));
    }
  }
};

struct stable_partition_call {
  /// Elements that fit on the stack; getting memory takes longer than parting them.
  template <class T>
  static constexpr std::size_t few = 1024 / sizeof(T);

  template <class It, class Predicate>
  static std::size_t split_few(It first, std::size_t n, Predicate& predicate) {
    std::array<std::iter_value_t<It>, few<std::iter_value_t<It>>> room;
    split_in_two<It, Predicate> work(first, predicate, room.data());
    std::size_t kept = 0;
    compact_in_order(work, 0, n, kept);
    std::copy_n(room.data(), n - kept, advanced(first, kept));
    return kept;
  }

  template <class How, class It, class Predicate>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Predicate&& predicate) {
    if constexpr (How::is_parallel && movable_aside<It>) {
      using value = std::iter_value_t<It>;
      const auto n = static_cast<std::size_t>(last - first);
      if constexpr (streamable<value>) {
        if (n <= few<value>) {
          return advanced(first, split_few(first, n, predicate));
        }
      }
      const scratch<value> room(n);
      if (room.data() != nullptr) {
        return advanced(first, split_stably(how, first, n, room.data(), predicate));
      }
    }
    return split_alone(first, last, predicate);
  }
};

}  // namespace algorithms::detail

/// Brings the elements of [first, last) that `predicate` accepts before the others, in no
/// particular sequence; returns where the others begin.
///
/// Blocks from the left and from the right exchange what is on the wrong side. With iterators that
/// are not random-access, the caller works alone.
/// Cost:    about n applications of `predicate` and at most about n / 2 swaps. The blocks that are
///          left in the middle need a few more of both. Reads and writes each element once. No
///          allocation that matters.
/// Threads: with a parallel policy `predicate` is called from several at once.
/// Errors:  the first exception of `predicate` or a swap; elements then are in any sequence.
/// Source:  Edelkamp, Weiss, "BlockQuicksort", 2016, for the exchange without branches.
/// Example: tests/algorithms/partition_test.cpp: partition_parts.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It> Predicate>
  requires algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> partition(Policy&& policy,
                                                                       It first,
                                                                       It last,
                                                                       Predicate predicate) {
  return algorithms::detail::launch<algorithms::detail::partition_call>(
      policy, first, last, std::move(predicate));
}

/// Copies the elements of [first, last) that `predicate` accepts to `yes` and the others to `no`,
/// each in the same sequence; returns both ends.
///
/// Cost, Threads, Errors: as `copy_if`; n elements are written.
/// Example: tests/algorithms/partition_test.cpp: partition_copy_is_what_the_standard_does.
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::forward_iterator Yes,
          std::forward_iterator No,
          algorithms::detail::predicate_on<It> Predicate>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::pair<Yes, No>> partition_copy(
    Policy&& policy, It first, It last, Yes yes, No no, Predicate predicate) {
  return algorithms::detail::launch<algorithms::detail::partition_copy_call>(
      policy, first, last, yes, no, std::move(predicate));
}

/// As `partition`, but both parts keep their sequence.
///
/// Those accepted move down as in `remove_if`; the others wait in memory for them to end.
/// Cost:    exactly n applications of `predicate`, at most three moves of each element. Memory for
///          n elements; only the part for rejected elements is touched. Without that memory the
///          calling thread works alone in place, with O(n log n) swaps.
/// Threads: with a parallel policy `predicate` is called from several at once.
/// Errors:  the first exception of `predicate`; the elements then are valid, their values are not
///          specified.
/// Example: tests/algorithms/partition_test.cpp: stable_partition_is_what_the_standard_does.
template <execution_policy Policy,
          std::bidirectional_iterator It,
          algorithms::detail::predicate_on<It> Predicate>
  requires algorithms::detail::moves_within<It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> stable_partition(Policy&& policy,
                                                                              It first,
                                                                              It last,
                                                                              Predicate predicate) {
  return algorithms::detail::launch<algorithms::detail::stable_partition_call>(
      policy, first, last, std::move(predicate));
}

}  // namespace weft
