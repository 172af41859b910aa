// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of ranges: as they are, backwards, rotated, moved; not more than the output has room for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/copy.hpp"
#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/reverse.hpp"
#include "weft/algorithms/rotate.hpp"
#include "weft/algorithms/swap_ranges.hpp"

namespace weft {

namespace algorithms::detail {

struct gives_in_out {
  template <class Range, class Output>
  using result =
      std::ranges::in_out_result<std::ranges::borrowed_iterator_t<Range>, sink_result_t<Output>>;
};
struct gives_in_in_out {
  template <class Range, class Output>
  using result = std::ranges::in_in_out_result<std::ranges::borrowed_iterator_t<Range>,
                                               std::ranges::borrowed_iterator_t<Range>,
                                               sink_result_t<Output>>;
};
struct copies {
  template <class It, class Output>
  static constexpr bool allows = std::indirectly_copyable<It, Output>;
};

struct range_copy : gives_in_out, copies {
  template <class It, class Output>
  static auto run(const auto& how, bounds<It> in, sink<Output> out) {
    It last = std::ranges::next(in.first, out.fitting(in.size()));
    Output end = weft::copy(how, in.first, last, out.first);
    return std::ranges::in_out_result<It, Output>{std::move(last), std::move(end)};
  }
};
struct range_move : gives_in_out {
  template <class It, class Output>
  static constexpr bool allows = std::indirectly_movable<It, Output>;
  template <class It, class Output>
  static auto run(const auto& how, bounds<It> in, sink<Output> out) {
    It last = std::ranges::next(in.first, out.fitting(in.size()));
    Output end = weft::move(how, in.first, last, out.first);
    return std::ranges::in_out_result<It, Output>{std::move(last), std::move(end)};
  }
};

/// If the output is too short, the beginning of the range is left out, which would come last.
struct range_reverse_copy : gives_in_in_out {
  template <class It, class Output>
  static constexpr bool allows =
      std::bidirectional_iterator<It> && std::indirectly_copyable<It, Output>;
  template <class It, class Output>
  static auto run(const auto& how, bounds<It> in, sink<Output> out) {
    const std::ptrdiff_t size = in.size();
    It first = std::ranges::next(in.first, size - out.fitting(size));
    Output end = weft::reverse_copy(how, first, in.last, out.first);
    return std::ranges::in_in_out_result<It, It, Output>{
        std::move(in.last), std::move(first), std::move(end)};
  }
};

struct range_swap_ranges {
  static constexpr bool compares_both_ways = false;
  template <execution_policy Policy, range_for<Policy> Left, range_for<Policy> Right>
    requires std::indirectly_swappable<std::ranges::iterator_t<Left>,
                                       std::ranges::iterator_t<Right>>
  auto operator()(Policy&& policy, Left&& left, Right&& right) const -> algorithm_result_t<
      Policy,
      std::ranges::swap_ranges_result<std::ranges::borrowed_iterator_t<Left>,
                                      std::ranges::borrowed_iterator_t<Right>>> {
    using result = std::ranges::swap_ranges_result<std::ranges::borrowed_iterator_t<Left>,
                                                   std::ranges::borrowed_iterator_t<Right>>;
    return call_range<result>(policy, [a = bounds_of(left), b = bounds_of(right)](const auto& how) {
      auto last = std::ranges::next(a.first, std::min<std::ptrdiff_t>(a.size(), b.size()));
      auto end = weft::swap_ranges(how, a.first, last, b.first);
      return std::ranges::swap_ranges_result{std::move(last), std::move(end)};
    });
  }
  template <execution_policy Policy,
            std::forward_iterator Left,
            std::sentinel_for<Left> LeftLast,
            std::forward_iterator Right,
            std::sentinel_for<Right> RightLast>
    requires std::indirectly_swappable<Left, Right>
  auto operator()(Policy&& policy, Left left, LeftLast left_last, Right right, RightLast right_last)
      const -> algorithm_result_t<Policy, std::ranges::swap_ranges_result<Left, Right>> {
    return (*this)(policy,
                   subrange_of<Left, LeftLast>(left, left_last),
                   subrange_of<Right, RightLast>(right, right_last));
  }
};

struct range_copy_n {
  template <execution_policy Policy, std::forward_iterator It, output_for<Policy> Output>
    requires std::indirectly_copyable<It, sink_iterator<Output>>
  auto operator()(Policy&& policy, It first, std::iter_difference_t<It> n, Output&& output) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, sink_result_t<Output>>> {
    return call_range<std::ranges::in_out_result<It, sink_result_t<Output>>>(
        policy, [first, n, out = sink_of(output)](const auto& how) {
          It last = std::ranges::next(first, out.fitting(std::max<std::ptrdiff_t>(n, 0)));
          auto end = weft::copy(how, first, last, out.first);
          return std::ranges::in_out_result{std::move(last), std::move(end)};
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast>
    requires std::indirectly_copyable<It, Output>
  auto operator()(Policy&& policy,
                  It first,
                  std::iter_difference_t<It> n,
                  Output output,
                  OutputLast output_last) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, Output>> {
    return (*this)(policy, first, n, subrange_of<Output, OutputLast>(output, output_last));
  }
};

/// If the output is too short, the end of the result is left out, which stood before `middle`.
struct range_rotate_copy {
  template <execution_policy Policy, range_for<Policy> Range, output_for<Policy> Output>
    requires std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<Output>>
  auto operator()(Policy&& policy,
                  Range&& range,
                  std::ranges::iterator_t<Range> middle,
                  Output&& output) const
      -> algorithm_result_t<Policy, gives_in_in_out::result<Range, Output>> {
    return call_range<gives_in_in_out::result<Range, Output>>(
        policy,
        [in = bounds_of(range), middle = std::move(middle), out = sink_of(output)](
            const auto& how) { return run(how, in, middle, out); });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast = std::unreachable_sentinel_t>
    requires std::indirectly_copyable<It, Output>
  // Parameters are those of the standard's algorithm.
  // NOLINTNEXTLINE(readability-function-size)
  auto operator()(Policy&& policy,
                  It first,
                  It middle,
                  Last last,
                  Output output,
                  OutputLast output_last = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_in_out_result<It, It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   std::move(middle),
                   subrange_of<Output, OutputLast>(output, output_last));
  }

 private:
  template <class It, class Output>
  static auto run(const auto& how, bounds<It> in, It middle, sink<Output> out) {
    using result = std::ranges::in_in_out_result<It, It, Output>;
    const std::ptrdiff_t behind = std::ranges::distance(middle, in.last);
    const std::ptrdiff_t before = std::ranges::distance(in.first, middle);
    if (out.room >= behind + before) {
      return result{in.last, middle, weft::rotate_copy(how, in.first, middle, in.last, out.first)};
    }
    It end = std::ranges::next(middle, out.fitting(behind));
    Output reached = weft::copy(how, middle, end, out.first);
    It front = std::ranges::next(in.first, std::max<std::ptrdiff_t>(out.room - behind, 0));
    reached = weft::copy(how, in.first, front, reached);
    return result{std::move(end), std::move(front), std::move(reached)};
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Copies a range: `copy(policy, range, output)`, where the output is a range, which is not written
/// past its end, or an iterator; returns where both ended.
/// Example: tests/algorithms/ranges_write_test.cpp: outputs_are_not_written_past_their_end.
inline constexpr algorithms::detail::copy_form<algorithms::detail::range_copy> copy;
/// Copies `n` elements: `copy_n(policy, first, n, output)`.
inline constexpr algorithms::detail::range_copy_n copy_n;
/// Moves the elements of a range to an output.
inline constexpr algorithms::detail::copy_form<algorithms::detail::range_move> move;
/// Copies a range backwards; returns its end, the last element that was copied, and the output's
/// end.
inline constexpr algorithms::detail::copy_form<algorithms::detail::range_reverse_copy> reverse_copy;
/// Copies from `middle` on, then what is before it: `rotate_copy(policy, range, middle, output)`.
inline constexpr algorithms::detail::range_rotate_copy rotate_copy;
/// Exchanges the elements of two ranges, as far as both reach.
inline constexpr algorithms::detail::range_swap_ranges swap_ranges;

}  // namespace ranges
}  // namespace weft
