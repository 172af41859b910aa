// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first and the last place of a sequence in a range, and the first run of one value.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/equal_value.hpp"
#include "weft/algorithms/detail/loops/search_in.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/mismatch.hpp"

namespace weft {

namespace algorithms::detail {

/// The first start in [begin, end) of a sequence of `size` numbers, or `end`: both its ends are
/// looked for at once.
template <class It, class Sequence>
[[nodiscard]] std::size_t first_start_of_numbers(
    It first, std::size_t begin, std::size_t end, Sequence sequence, std::size_t size) {
  using number = kernels::equality_number<std::iter_value_t<It>>;
  const number* const data = kernels::data_of<number>(first);
  const number* const wanted = kernels::data_of<number>(sequence);
  while (begin != end) {
    begin += kernels::find_ends(data + begin, end - begin, size, wanted[0], wanted[size - 1]);
    if (begin == end || std::equal(wanted, wanted + size, data + begin)) {
      break;
    }
    ++begin;
  }
  return begin;
}

/// The first start in [begin, end) of the sequence, or `end`; no start is compared twice.
template <class It, class Sequence, class Predicate>
[[nodiscard]] std::size_t first_start(It first,
                                      std::pair<std::size_t, std::size_t> starts,
                                      Sequence sequence,
                                      std::size_t size,
                                      Predicate& match) {
  const auto [begin, end] = starts;
  if constexpr (has_pair_kernel<It, Sequence, Predicate>()) {
    if (end - begin >= kernels::least_elements) {
      return first_start_of_numbers(first, begin, end, sequence, size);
    }
  }
  const It stop = iterator_at(first, end);
  const auto begins = [&match, &sequence](auto&& element) -> bool {
    return static_cast<bool>(match(std::forward<decltype(element)>(element), *sequence));
  };
  for (It at = iterator_at(first, begin);; ++at) {
    at = std::find_if(at, stop, begins);
    if (at == stop || std::equal(iterator_at(at, 1),
                                 iterator_at(at, size),
                                 iterator_at(sequence, 1),
                                 reference_to<Predicate>{match})) {
      return size_between(first, at);
    }
  }
}

struct search_call {
  template <class How, class It, class Sequence, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static It run(
      const How& how, It first, It last, Sequence s_first, Sequence s_last, Predicate&& match) {
    if constexpr (is_shared<How, It, Sequence>) {
      const std::size_t n = size_between(first, last);
      const std::size_t size = size_between(s_first, s_last);
      if (size == 0 || n < size) {
        return size == 0 ? first : last;
      }
      const std::size_t num_starts = n - size + 1;
      const std::size_t hit =
          search_in(how,
                    num_starts,
                    bytes_of<It>,
                    [first, s_first, size, &match](std::size_t begin, std::size_t end) {
                      return first_start(first, std::pair(begin, end), s_first, size, match);
                    });
      return hit == num_starts ? last : iterator_at(first, hit);
    } else if constexpr (is_walked<How, It, Sequence>) {
      // A match that reaches the end of the range ends the walk: no later start has room.
      const auto ends_walk = [&](const It& it) -> bool {
        const auto [at, s_at] =
            std::mismatch(it, last, s_first, s_last, reference_to<Predicate>{match});
        return s_at == s_last || at == last;
      };
      const It found = find_in_walk(how, detail::walk(first, last), ends_walk).at().first();
      It behind = found;
      return std::ranges::advance(behind, std::ranges::distance(s_first, s_last), last) == 0 ? found
                                                                                             : last;
    } else {
      return std::search(first, last, s_first, s_last, reference_to<Predicate>{match});
    }
  }
};

/// The last start of [begin, end) of a sequence of `size` numbers, or `end`; starts are counted
/// from the back of `num_starts`.
template <class It, class Sequence>
[[nodiscard]] std::size_t last_start_of_numbers(It first,
                                                std::size_t num_starts,
                                                std::pair<std::size_t, std::size_t> starts,
                                                Sequence sequence,
                                                std::size_t size) {
  using number = kernels::equality_number<std::iter_value_t<It>>;
  const auto [begin, end] = starts;
  const number* const data = kernels::data_of<number>(first) + (num_starts - end);
  const number* const wanted = kernels::data_of<number>(sequence);
  std::size_t left = end - begin;
  while (left != 0) {
    left = kernels::behind_last_ends(data, left, size, wanted[0], wanted[size - 1]);
    if (left == 0 || std::equal(wanted, wanted + size, data + left - 1)) {
      break;
    }
    --left;
  }
  return end - left;
}

struct find_end_call {
  template <class How, class It, class Sequence, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static It run(
      const How& how, It first, It last, Sequence s_first, Sequence s_last, Predicate&& match) {
    if constexpr (is_shared<How, It, Sequence>) {
      const std::size_t n = size_between(first, last);
      const std::size_t size = size_between(s_first, s_last);
      if (size == 0 || n < size) {
        return last;
      }
      const std::size_t num_starts = n - size + 1;
      const auto scan = [=, &match](std::size_t begin, std::size_t end) {
        // Starts are counted from the back: [begin, end) are those of this part of the range.
        if constexpr (has_pair_kernel<It, Sequence, std::remove_cvref_t<Predicate>>()) {
          if (end - begin >= kernels::least_elements) {
            return last_start_of_numbers(first, num_starts, std::pair(begin, end), s_first, size);
          }
        }
        return first_start(std::make_reverse_iterator(last),
                           std::pair(begin, end),
                           std::make_reverse_iterator(s_last),
                           size,
                           match);
      };
      const std::size_t back = search_in(how, num_starts, bytes_of<It>, scan);
      return back == num_starts ? last : iterator_at(first, num_starts - 1 - back);
    } else {
      return std::find_end(first, last, s_first, s_last, reference_to<Predicate>{match});
    }
  }
};

/// Where the run of at least `count` matches begins that covers the last element of piece
/// `piece`, of `count` elements; or no place. Every such run covers the last element of a piece.
template <class It, class Match>
[[nodiscard]] std::pair<bool, std::size_t> run_over(
    It first, std::size_t n, std::size_t count, std::size_t piece, const Match& matches) {
  const std::size_t low = piece * count;
  std::size_t begin = low + count;  // behind the last element of the piece
  while (begin != low && matches(element_at(first, begin - 1))) {
    --begin;
  }
  if (begin == low + count) {
    return {false, n};
  }
  const std::size_t wanted_end = begin + count;
  std::size_t end = low + count;
  while (end < wanted_end && end != n && matches(element_at(first, end))) {
    ++end;
  }
  return {end == wanted_end, begin};
}

/// The first start in [begin, end) of `count` equal numbers in a row, or `end`.
///
/// A rare value is searched alone, which reads each element once. If the value turns out to be
/// frequent, both ends of a run are searched at once.
template <class Number>
[[nodiscard]] std::size_t first_short_run_of(const Number* data,
                                             std::pair<std::size_t, std::size_t> starts,
                                             std::size_t count,
                                             Number value) {
  constexpr std::size_t rare = 128;  // elements for each that starts no run
  const auto run_at = [data, count, value](std::size_t start) {
    std::size_t size = 0;
    while (size != count && data[start + size] == value) {
      ++size;
    }
    return size;
  };
  auto [at, end] = starts;
  for (std::size_t looked_at = 4 * rare; at < end;) {
    const std::size_t step = kernels::find_equal(data + at, end - at, value);
    at += step;
    looked_at += step;
    if (at == end) {
      return end;
    }
    const std::size_t size = run_at(at);
    if (size == count) {
      return at;
    }
    at += size + 1;
    if (looked_at < rare) {
      break;
    }
    looked_at -= rare;
  }
  while (at < end) {
    at += kernels::find_ends(data + at, end - at, count, value, value);
    if (at == end || run_at(at) == count) {
      return at;
    }
    ++at;
  }
  return end;
}

/// The first start in [begin, end) of a short run of matches, or `end`.
template <class It, class T, class Predicate>
[[nodiscard]] std::size_t first_short_run(It first,
                                          std::pair<std::size_t, std::size_t> starts,
                                          std::size_t count,
                                          const T& value,
                                          Predicate& match) {
  const auto [begin, end] = starts;
  using difference = std::iter_difference_t<It>;
  const auto found = [=, &value, &match](std::size_t from, std::size_t to) {
    const It stop = iterator_at(first, to + count - 1);
    const It hit = std::search_n(iterator_at(first, from),
                                 stop,
                                 static_cast<difference>(count),
                                 value,
                                 reference_to<Predicate>{match});
    return hit == stop ? to : size_between(first, hit);
  };
  if constexpr (has_pair_kernel<It, It, std::remove_cvref_t<Predicate>>() &&
                is_kernel_value<It, T>) {
    const auto same = kernel_value<std::iter_value_t<It>>(value);
    if (!same || end - begin < kernels::least_elements) {
      return same ? found(begin, end) : end;
    }
    const auto* const data =
        kernels::data_of<kernels::equality_number<std::iter_value_t<It>>>(first);
    return first_short_run_of(data, starts, count, *same);
  } else {
    return found(begin, end);
  }
}

struct search_n_call {
  /// A longer run is looked for piece by piece, so that few elements are compared.
  static constexpr std::size_t longest_short_run = 32;

  template <class How, class It, class T, class Predicate>
  // NOLINTNEXTLINE(readability-function-size): the standard's parameters
  [[gnu::always_inline]] static It run(
      const How& how, It first, It last, std::size_t count, const T& value, Predicate&& match) {
    if constexpr (is_shared<How, It>) {
      const std::size_t n = size_between(first, last);
      if (count == 0 || n < count) {
        return count == 0 ? first : last;
      }
      if (count > longest_short_run) {
        return long_run(how, std::pair(first, last), count, value, match);
      }
      const std::size_t num_starts = n - count + 1;
      const auto scan = [=, &value, &match](std::size_t begin, std::size_t end) {
        return first_short_run(first, std::pair(begin, end), count, value, match);
      };
      // A chunk also reads the elements behind its last start.
      constexpr std::size_t runs_per_chunk = 8;
      const std::size_t hit =
          search_in(how, num_starts, bytes_of<It>, scan, runs_per_chunk * count);
      return hit == num_starts ? last : iterator_at(first, hit);
    } else {
      using difference = std::iter_difference_t<It>;
      return std::search_n(
          first, last, static_cast<difference>(count), value, reference_to<Predicate>{match});
    }
  }

 private:
  template <class How, class It, class T, class Predicate>
  static It long_run(const How& how,
                     const std::pair<It, It>& range,
                     std::size_t count,
                     const T& value,
                     Predicate& match) {
    const It first = range.first;
    const std::size_t n = size_between(first, range.second);
    const auto matches = [&match, &value](auto&& element) {
      return static_cast<bool>(match(element, value));
    };
    const std::size_t num_pieces = n / count;
    const auto scan = [=, &matches](std::size_t begin, std::size_t end) {
      while (begin != end && !run_over(first, n, count, begin, matches).first) {
        ++begin;
      }
      return begin;
    };
    const std::size_t piece = search_in(how, num_pieces, count * bytes_of<It>, scan);
    return piece == num_pieces
               ? range.second
               : iterator_at(first, run_over(first, n, count, piece, matches).second);
  }
};

}  // namespace algorithms::detail

/// Finds the first place in [first, last) where the sequence [s_first, s_last) stands; `last` if
/// there is none, `first` for an empty sequence.
///
/// Cost:    usually about n comparisons, at most n times the size s of the sequence. Every other
///          worker may make s more behind the hit. No allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/compare_test.cpp: sequences_are_found_where_the_standard_finds_them.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::multipass_iterator Sequence,
          algorithms::detail::predicate_on<It, Sequence> Predicate>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> search(
    Policy&& policy, It first, It last, Sequence s_first, Sequence s_last, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::search_call>(
      policy, first, last, s_first, s_last, std::move(match));
}

/// The same by `==`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::multipass_iterator Sequence>
  requires algorithms::detail::predicate_on<std::equal_to<>, It, Sequence>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> search(
    Policy&& policy, It first, It last, Sequence s_first, Sequence s_last) {
  return weft::search(policy, first, last, s_first, s_last, std::equal_to<>{});
}

/// Finds the last place in [first, last) where the sequence [s_first, s_last) stands; `last` if
/// there is none or the sequence is empty. Random-access ranges are searched from the back.
///
/// Cost, threads, errors: see `search`.
/// Example: tests/algorithms/compare_test.cpp: sequences_are_found_where_the_standard_finds_them.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::multipass_iterator Sequence,
          algorithms::detail::predicate_on<It, Sequence> Predicate>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_end(
    Policy&& policy, It first, It last, Sequence s_first, Sequence s_last, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::find_end_call>(
      policy, first, last, s_first, s_last, std::move(match));
}

/// The same by `==`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::multipass_iterator Sequence>
  requires algorithms::detail::predicate_on<std::equal_to<>, It, Sequence>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> find_end(
    Policy&& policy, It first, It last, Sequence s_first, Sequence s_last) {
  return weft::find_end(policy, first, last, s_first, s_last, std::equal_to<>{});
}

/// Finds the first of `count` elements in a row for which `match(element, value)`; `last` if there
/// is none, `first` if `count` is not positive.
///
/// Cost:    up to 2n comparisons, n / count as a rule; no allocation.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/compare_test.cpp: runs_are_found_where_the_standard_finds_them.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::convertible_to<std::ptrdiff_t> Size,
          class T = std::iter_value_t<It>,
          algorithms::detail::predicate_on<It, const T*> Predicate>
// NOLINTNEXTLINE(readability-function-size): the standard's parameters
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> search_n(
    Policy&& policy, It first, It last, Size count, const T& value, Predicate match) {
  return algorithms::detail::launch<algorithms::detail::search_n_call>(
      policy,
      first,
      last,
      count > 0 ? static_cast<std::size_t>(count) : 0,
      value,
      std::move(match));
}

/// The same by `==`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          std::convertible_to<std::ptrdiff_t> Size,
          class T = std::iter_value_t<It>>
  requires algorithms::detail::predicate_on<std::equal_to<>, It, const T*>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> search_n(
    Policy&& policy, It first, It last, Size count, const T& value) {
  return weft::search_n(policy, first, last, count, value, std::equal_to<>{});
}

}  // namespace weft
