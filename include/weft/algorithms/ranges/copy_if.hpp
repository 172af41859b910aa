// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of some elements of a range, in their order: chosen, not removed, unique, parted.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/detail/loops/copy_into_room.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/remove.hpp"
#include "weft/algorithms/unique.hpp"

namespace weft {

namespace algorithms::detail {

template <class Range, class Output>
using copy_if_result_of =
    std::ranges::in_out_result<std::ranges::borrowed_iterator_t<Range>, sink_result_t<Output>>;

/// `Keep` says of a predicate's answer whether the element is copied.
template <class Keep>
struct range_copy_if {
  template <
      execution_policy Policy,
      range_for<Policy> Range,
      output_for<Policy> Output,
      class Proj = std::identity,
      std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<Range>, Proj>> Pred>
    requires std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<Output>>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Pred pred, Proj proj = {}) const
      -> algorithm_result_t<Policy, copy_if_result_of<Range, Output>> {
    return call_range<copy_if_result_of<Range, Output>>(
        policy,
        [in = bounds_of(range),
         out = sink_of(output),
         asked = project(std::move(pred), std::move(proj))](const auto& how) mutable {
          return copy_into_room(in, out, Keep::chosen(how, std::move(asked)));
        });
  }
  // Parameters are those of the standard's algorithm.
  // NOLINTBEGIN(readability-function-size)
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast,
            class Proj = std::identity,
            std::indirect_unary_predicate<std::projected<It, Proj>> Pred>
    requires std::indirectly_copyable<It, Output>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  Output output,
                  OutputLast output_last,
                  Pred pred,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last),
                   std::move(pred),
                   std::move(proj));
  }
  // NOLINTEND(readability-function-size)
};

struct keeps_chosen {
  template <class How, class Pred>
  static auto chosen(const How& how, Pred pred) {
    return kept_elements<How, Pred>{how, std::move(pred)};
  }
};
struct keeps_others {
  template <class How, class Pred>
  static auto chosen(const How& how, Pred pred) {
    auto keep = std::not_fn(std::move(pred));
    return kept_elements<How, decltype(keep)>{how, std::move(keep)};
  }
};

struct range_remove_copy {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Proj = std::identity,
            class Value = std::iter_value_t<std::projected<std::ranges::iterator_t<Range>, Proj>>>
    requires std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<Output>> &&
             std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<std::ranges::iterator_t<Range>, Proj>,
                                            const Value*>
  auto operator()(
      Policy&& policy, Range&& range, Output&& output, const Value& value, Proj proj = {}) const
      -> algorithm_result_t<Policy, copy_if_result_of<Range, Output>> {
    return call_range<copy_if_result_of<Range, Output>>(
        policy,
        [in = bounds_of(range),
         out = sink_of(output),
         kept = kept_value<Policy, Value>{value},
         proj = std::move(proj)](const auto& how) mutable {
          return copy_into_room(
              in,
              out,
              keeps_others::chosen(
                  how, equals_value<Value, Proj>{std::addressof(kept.value), std::move(proj)}));
        });
  }
  // Parameters are those of the standard's algorithm.
  // NOLINTBEGIN(readability-function-size)
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast,
            class Proj = std::identity,
            class Value = std::iter_value_t<std::projected<It, Proj>>>
    requires std::indirectly_copyable<It, Output> &&
             std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<It, Proj>,
                                            const Value*>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  Output output,
                  OutputLast output_last,
                  const Value& value,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last),
                   value,
                   std::move(proj));
  }
  // NOLINTEND(readability-function-size)
};

struct range_unique_copy {
  template <execution_policy Policy,
            range_for<Policy> Range,
            output_for<Policy> Output,
            class Proj = std::identity,
            std::indirect_equivalence_relation<std::projected<std::ranges::iterator_t<Range>, Proj>>
                Comp = std::ranges::equal_to>
    requires std::ranges::bidirectional_range<Range> &&
             std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<Output>>
  auto operator()(Policy&& policy, Range&& range, Output&& output, Comp equal = {}, Proj proj = {})
      const -> algorithm_result_t<Policy, copy_if_result_of<Range, Output>> {
    return call_range<copy_if_result_of<Range, Output>>(
        policy,
        [in = bounds_of(range),
         out = sink_of(output),
         same = project(std::move(equal), std::move(proj))](const auto& how) mutable {
          return copy_into_room(in, out, chosen(how, in.first, std::move(same)));
        });
  }
  // Parameters are those of the standard's algorithm.
  // NOLINTBEGIN(readability-function-size)
  template <
      execution_policy Policy,
      std::bidirectional_iterator It,
      std::sentinel_for<It> Last,
      std::forward_iterator Output,
      std::sentinel_for<Output> OutputLast = std::unreachable_sentinel_t,
      class Proj = std::identity,
      std::indirect_equivalence_relation<std::projected<It, Proj>> Comp = std::ranges::equal_to>
    requires std::indirectly_copyable<It, Output>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  Output output,
                  OutputLast output_last = {},
                  Comp equal = {},
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::in_out_result<It, Output>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last),
                   std::move(equal),
                   std::move(proj));
  }
  // NOLINTEND(readability-function-size)

 private:
  template <class How, class It, class Equal>
  static auto chosen(const How& how, It begin, Equal equal) {
    return unique_elements<How, It, Equal>{how, std::move(begin), std::move(equal)};
  }
};

struct range_partition_copy {
  template <class Range, class True, class False>
  using result = std::ranges::partition_copy_result<std::ranges::borrowed_iterator_t<Range>,
                                                    sink_result_t<True>,
                                                    sink_result_t<False>>;

  // Parameters are those of the standard's algorithm.
  // NOLINTBEGIN(readability-function-size)
  template <
      execution_policy Policy,
      range_for<Policy> Range,
      output_for<Policy> True,
      output_for<Policy> False,
      class Proj = std::identity,
      std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<Range>, Proj>> Pred>
    requires std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<True>> &&
             std::indirectly_copyable<std::ranges::iterator_t<Range>, sink_iterator<False>>
  auto operator()(Policy&& policy,
                  Range&& range,
                  True&& output_true,
                  False&& output_false,
                  Pred pred,
                  Proj proj = {}) const -> algorithm_result_t<Policy, result<Range, True, False>> {
    return call_range<result<Range, True, False>>(
        policy,
        [in = bounds_of(range),
         yes = sink_of(output_true),
         no = sink_of(output_false),
         asked = project(std::move(pred), std::move(proj))](const auto& how) mutable {
          return run(how, in, yes, no, std::move(asked));
        });
  }
  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator True,
            std::sentinel_for<True> TrueLast,
            std::forward_iterator False,
            std::sentinel_for<False> FalseLast,
            class Proj = std::identity,
            std::indirect_unary_predicate<std::projected<It, Proj>> Pred>
    requires std::indirectly_copyable<It, True> && std::indirectly_copyable<It, False>
  auto operator()(Policy&& policy,
                  It first,
                  Last last,
                  True output_true,
                  TrueLast last_true,
                  False output_false,
                  FalseLast last_false,
                  Pred pred,
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::partition_copy_result<It, True, False>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<True, TrueLast>(output_true, last_true),
                   subrange_of<False, FalseLast>(output_false, last_false),
                   std::move(pred),
                   std::move(proj));
  }
  // NOLINTEND(readability-function-size)

 private:
  /// If not all fits, the caller copies one by one, up to the first element without room.
  template <class It, class True, class False, class Pred>
  static auto run(const auto& how, bounds<It> in, sink<True> yes, sink<False> no, Pred pred) {
    using copied = std::ranges::partition_copy_result<It, True, False>;
    const std::ptrdiff_t size = in.size();
    if (size > yes.room || size > no.room) {
      const std::ptrdiff_t num_true = weft::count_if(how, in.first, in.last, pred);
      if (num_true > yes.room || size - num_true > no.room) {
        return copy_some<copied>(in, yes, no, std::move(pred));
      }
    }
    auto [end_true, end_false] =
        weft::partition_copy(how, in.first, in.last, yes.first, no.first, std::move(pred));
    return copied{in.last, std::move(end_true), std::move(end_false)};
  }

  template <class Copied, class It, class True, class False, class Pred>
  static Copied copy_some(bounds<It> in, sink<True> yes, sink<False> no, Pred pred) {
    const auto put = [&in](auto& out) {
      if (out.room-- == 0) {
        return false;
      }
      *out.first = *in.first;
      ++out.first;
      return true;
    };
    while (in.first != in.last && (std::invoke(pred, *in.first) ? put(yes) : put(no))) {
      ++in.first;
    }
    return {std::move(in.first), std::move(yes.first), std::move(no.first)};
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Copies the elements for which a predicate is true: `copy_if(policy, range, output, pred, proj =
/// {})`.
///
/// Returns the first such element that did not fit, or the end of the range, and the end of the
/// output.
/// Example: tests/algorithms/ranges_write_test.cpp: choice_that_does_not_fit_ends_where_room_does.
inline constexpr algorithms::detail::range_copy_if<algorithms::detail::keeps_chosen> copy_if;
/// Copies the elements for which a predicate is false.
inline constexpr algorithms::detail::range_copy_if<algorithms::detail::keeps_others> remove_copy_if;
/// Copies the elements whose projections do not equal a value: `remove_copy(policy, range, output,
/// value, proj = {})`.
inline constexpr algorithms::detail::range_remove_copy remove_copy;
/// Copies the first of equal neighbours each: `unique_copy(policy, range, output, equal = {}, proj
/// =
/// {})`.
inline constexpr algorithms::detail::range_unique_copy unique_copy;
/// Copies the elements for which a predicate is true to one output and all others to another.
inline constexpr algorithms::detail::range_partition_copy partition_copy;

}  // namespace ranges
}  // namespace weft
