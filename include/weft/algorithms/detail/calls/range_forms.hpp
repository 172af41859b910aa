// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The shapes that range algorithms come in: each takes iterator and sentinel, or a range.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/projected.hpp"
#include "weft/algorithms/detail/calls/range_call.hpp"
#include "weft/algorithms/policy.hpp"

// Parameters are those of the standard's algorithms.
// NOLINTBEGIN(readability-function-size)

namespace weft::algorithms::detail {

template <class It, class Last>
using subrange_of = std::ranges::subrange<It, Last>;

/// What algorithms say of their results.
struct gives_iterator {
  template <class Range>
  using result = std::ranges::borrowed_iterator_t<Range>;
};
struct gives_subrange {
  template <class Range>
  using result = std::ranges::borrowed_subrange_t<Range>;
};
template <class Result>
struct gives {
  template <class... Ranges>
  using result = Result;
};

/// And of the elements that they want: `allows<iterators..., callable, projections...>`.
struct reads {
  template <class... Iterators>
  static constexpr bool allows = true;
};
struct permutes {
  template <class It>
  static constexpr bool allows = std::permutable<It>;
};

/// What `Algorithm` wants of its iterators, callable and projections.
template <class Algorithm, class... What>
concept allowed_by = Algorithm::template allows<What...>;

/// A value as a call keeps it: a copy, if it runs later.
template <class Policy, class Value>
struct kept_value {
  std::conditional_t<resolved_policy<Policy>::is_later, Value, const Value&> value;
};

/// `proj(x) == value`.
template <class Value, class Proj>
struct equals_value {
  const Value* value;
  [[no_unique_address]] Proj proj;

  template <class X>
  constexpr bool operator()(X&& x) const {
    return std::invoke(proj, std::forward<X>(x)) == *value;
  }
};

template <class... Projections>
inline constexpr bool are_identities = (std::is_same_v<Projections, std::identity> && ...);

/// `(range, predicate, projection)`: `Algorithm::run(policy, bounds, predicate)`.
template <class Algorithm>
struct predicate_form {
  template <
      execution_policy Policy,
      range_for<Policy> Range,
      class Proj = std::identity,
      std::indirect_unary_predicate<std::projected<std::ranges::iterator_t<Range>, Proj>> Pred>
    requires allowed_by<Algorithm, std::ranges::iterator_t<Range>>
  auto operator()(Policy&& policy, Range&& range, Pred pred, Proj proj = {}) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<Range>> {
    return call_range<typename Algorithm::template result<Range>>(
        policy,
        [in = bounds_of(range), asked = project(std::move(pred), std::move(proj))](
            const auto& how) mutable { return Algorithm::run(how, in, std::move(asked)); });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Proj = std::identity,
            std::indirect_unary_predicate<std::projected<It, Proj>> Pred>
    requires allowed_by<Algorithm, It>
  auto operator()(Policy&& policy, It first, Last last, Pred pred, Proj proj = {}) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<subrange_of<It, Last>>> {
    return (*this)(policy, subrange_of<It, Last>(first, last), std::move(pred), std::move(proj));
  }
};

/// `(range, value, projection)`: `Algorithm::run(policy, bounds, value)`, or with a projection
/// `Algorithm::run_if(policy, bounds, predicate)`.
template <class Algorithm>
struct value_form {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Proj = std::identity,
            class Value = std::iter_value_t<std::projected<std::ranges::iterator_t<Range>, Proj>>>
    requires allowed_by<Algorithm, std::ranges::iterator_t<Range>> &&
             std::indirect_binary_predicate<std::ranges::equal_to,
                                            std::projected<std::ranges::iterator_t<Range>, Proj>,
                                            const Value*>
  auto operator()(Policy&& policy, Range&& range, const Value& value, Proj proj = {}) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<Range>> {
    return call_range<typename Algorithm::template result<Range>>(
        policy,
        [in = bounds_of(range), kept = kept_value<Policy, Value>{value}, proj = std::move(proj)](
            const auto& how) mutable {
          if constexpr (std::is_same_v<Proj, std::identity>) {
            static_cast<void>(proj);
            return Algorithm::run(how, in, kept.value);
          } else {
            return Algorithm::run_if(
                how, in, equals_value<Value, Proj>{std::addressof(kept.value), std::move(proj)});
          }
        });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Proj = std::identity,
            class Value = std::iter_value_t<std::projected<It, Proj>>>
    requires allowed_by<Algorithm, It> && std::indirect_binary_predicate<std::ranges::equal_to,
                                                                         std::projected<It, Proj>,
                                                                         const Value*>
  auto operator()(Policy&& policy, It first, Last last, const Value& value, Proj proj = {}) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<subrange_of<It, Last>>> {
    return (*this)(policy, subrange_of<It, Last>(first, last), value, std::move(proj));
  }
};

/// `(range, comparison, projection)`: `Algorithm::run(policy, bounds, comparison)`, where the
/// default is `Algorithm::default_call`.
template <class Algorithm>
struct comparison_form {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Comp = typename Algorithm::default_call,
            class Proj = std::identity>
    requires allowed_by<Algorithm, std::ranges::iterator_t<Range>, Comp, Proj>
  auto operator()(Policy&& policy, Range&& range, Comp comp = {}, Proj proj = {}) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<Range>> {
    return call_range<typename Algorithm::template result<Range>>(
        policy,
        [in = bounds_of(range), compare = project(std::move(comp), std::move(proj))](
            const auto& how) mutable { return Algorithm::run(how, in, std::move(compare)); });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Comp = typename Algorithm::default_call,
            class Proj = std::identity>
    requires allowed_by<Algorithm, It, Comp, Proj>
  auto operator()(Policy&& policy, It first, Last last, Comp comp = {}, Proj proj = {}) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<subrange_of<It, Last>>> {
    return (*this)(policy, subrange_of<It, Last>(first, last), std::move(comp), std::move(proj));
  }
};

/// `(range, iterator, comparison, projection)`, or `(first, iterator, last, ...)`:
/// `Algorithm::run(policy, bounds, iterator, comparison)`.
template <class Algorithm>
struct middle_form {
  template <execution_policy Policy,
            range_for<Policy> Range,
            class Comp = std::ranges::less,
            class Proj = std::identity>
    requires allowed_by<Algorithm, std::ranges::iterator_t<Range>, Comp, Proj>
  auto operator()(Policy&& policy,
                  Range&& range,
                  std::ranges::iterator_t<Range> middle,
                  Comp comp = {},
                  Proj proj = {}) const
      -> algorithm_result_t<Policy, std::ranges::borrowed_iterator_t<Range>> {
    return call_range<std::ranges::borrowed_iterator_t<Range>>(
        policy,
        [in = bounds_of(range),
         middle = std::move(middle),
         compare = project(std::move(comp), std::move(proj))](const auto& how) mutable {
          Algorithm::run(how, in, middle, std::move(compare));
          return in.last;
        });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            class Comp = std::ranges::less,
            class Proj = std::identity>
    requires allowed_by<Algorithm, It, Comp, Proj>
  auto operator()(Policy&& policy, It first, It middle, Last last, Comp comp = {}, Proj proj = {})
      const -> algorithm_result_t<Policy, It> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   std::move(middle),
                   std::move(comp),
                   std::move(proj));
  }
};

/// `(range, range, comparison, projections)`: `Algorithm::run(policy, bounds, bounds, comparison)`.
///
/// One that `compares_both_ways` would not know which projection is for which argument; it sees
/// ranges of projected elements.
template <class Algorithm>
struct two_range_form {
  template <execution_policy Policy,
            range_for<Policy> Left,
            range_for<Policy> Right,
            class Comp = typename Algorithm::default_call,
            class LeftProj = std::identity,
            class RightProj = std::identity>
    requires allowed_by<Algorithm,
                        std::ranges::iterator_t<Left>,
                        std::ranges::iterator_t<Right>,
                        Comp,
                        LeftProj,
                        RightProj>

  auto operator()(Policy&& policy,
                  Left&& left,
                  Right&& right,
                  Comp comp = {},
                  LeftProj left_proj = {},
                  RightProj right_proj = {}) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<Left, Right>> {
    return call_range<typename Algorithm::template result<Left, Right>>(
        policy,
        [a = bounds_of(left),
         b = bounds_of(right),
         comp = std::move(comp),
         left_proj = std::move(left_proj),
         right_proj = std::move(right_proj)](const auto& how) mutable {
          if constexpr (Algorithm::compares_both_ways && !are_identities<LeftProj, RightProj>) {
            auto seen = std::views::transform(std::ranges::subrange(a.first, a.last), left_proj);
            auto others = std::views::transform(std::ranges::subrange(b.first, b.last), right_proj);
            return Algorithm::run(how, bounds_of(seen), bounds_of(others), plain_call(comp));
          } else {
            return Algorithm::run(
                how, a, b, project(std::move(comp), std::move(left_proj), std::move(right_proj)));
          }
        });
  }

  template <execution_policy Policy,
            std::forward_iterator Left,
            std::sentinel_for<Left> LeftLast,
            std::forward_iterator Right,
            std::sentinel_for<Right> RightLast,
            class Comp = typename Algorithm::default_call,
            class LeftProj = std::identity,
            class RightProj = std::identity>
    requires allowed_by<Algorithm, Left, Right, Comp, LeftProj, RightProj>
  auto operator()(Policy&& policy,
                  Left left,
                  LeftLast left_last,
                  Right right,
                  RightLast right_last,
                  Comp comp = {},
                  LeftProj left_proj = {},
                  RightProj right_proj = {}) const
      -> algorithm_result_t<Policy,
                            typename Algorithm::template result<subrange_of<Left, LeftLast>,
                                                                subrange_of<Right, RightLast>>> {
    return (*this)(policy,
                   subrange_of<Left, LeftLast>(left, left_last),
                   subrange_of<Right, RightLast>(right, right_last),
                   std::move(comp),
                   std::move(left_proj),
                   std::move(right_proj));
  }
};

/// `(range, output)`: `Algorithm::run(policy, bounds, sink)`.
template <class Algorithm>
struct copy_form {
  template <execution_policy Policy, range_for<Policy> Range, output_for<Policy> Output>
    requires allowed_by<Algorithm, std::ranges::iterator_t<Range>, sink_iterator<Output>>
  auto operator()(Policy&& policy, Range&& range, Output&& output) const
      -> algorithm_result_t<Policy, typename Algorithm::template result<Range, Output>> {
    return call_range<typename Algorithm::template result<Range, Output>>(
        policy, [in = bounds_of(range), out = sink_of(output)](const auto& how) {
          return Algorithm::run(how, in, out);
        });
  }

  template <execution_policy Policy,
            std::forward_iterator It,
            std::sentinel_for<It> Last,
            std::forward_iterator Output,
            std::sentinel_for<Output> OutputLast = std::unreachable_sentinel_t>
    requires allowed_by<Algorithm, It, Output>
  auto operator()(
      Policy&& policy, It first, Last last, Output output, OutputLast output_last = {}) const
      -> algorithm_result_t<Policy,
                            typename Algorithm::template result<subrange_of<It, Last>,
                                                                subrange_of<Output, OutputLast>>> {
    return (*this)(policy,
                   subrange_of<It, Last>(first, last),
                   subrange_of<Output, OutputLast>(output, output_last));
  }
};

}  // namespace weft::algorithms::detail

// NOLINTEND(readability-function-size)
