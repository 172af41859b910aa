// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of keys with values: sorted together, reduced by runs of equal keys, counted in bins.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/projected.hpp"
#include "weft/algorithms/detail/calls/range_call.hpp"
#include "weft/algorithms/detail/calls/range_forms.hpp"
#include "weft/algorithms/histogram.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce_by_key.hpp"
#include "weft/algorithms/sort_by_key.hpp"

// Parameters are those of the algorithms.
// NOLINTBEGIN(readability-function-size)

namespace weft {

namespace ranges {

/// How far `reduce_by_key` got in what it reads and in what it writes.
template <class Keys, class Values, class KeysOut, class ValuesOut>
struct reduce_by_key_result {
  [[no_unique_address]] Keys keys;
  [[no_unique_address]] Values values;
  [[no_unique_address]] KeysOut keys_out;
  [[no_unique_address]] ValuesOut values_out;

  template <class K, class V, class KO, class VO>
    requires std::convertible_to<const Keys&, K> && std::convertible_to<const Values&, V> &&
             std::convertible_to<const KeysOut&, KO> && std::convertible_to<const ValuesOut&, VO>
  // NOLINTNEXTLINE(google-explicit-constructor): as the results of std::ranges
  constexpr operator reduce_by_key_result<K, V, KO, VO>() const {
    return {keys, values, keys_out, values_out};
  }
};

}  // namespace ranges

namespace algorithms::detail {

/// The bounds of as many elements from the front as both ranges have.
template <class It>
[[nodiscard]] bounds<It> front_of(const bounds<It>& all, std::ptrdiff_t n) {
  return {all.first, std::ranges::next(all.first, std::min<std::ptrdiff_t>(all.size(), n))};
}

struct range_sort_by_key {
  template <execution_policy Policy,
            random_access_range_for<Policy> Keys,
            random_access_range_for<Policy> Values,
            class Comp = std::ranges::less,
            class Proj = std::identity>
    requires std::sortable<std::ranges::iterator_t<Keys>, Comp, Proj> &&
             std::permutable<std::ranges::iterator_t<Values>>
  auto operator()(
      Policy&& policy, Keys&& keys, Values&& values, Comp comp = {}, Proj proj = {}) const
      -> algorithm_result_t<Policy,
                            std::ranges::in_in_result<std::ranges::borrowed_iterator_t<Keys>,
                                                      std::ranges::borrowed_iterator_t<Values>>> {
    using result = std::ranges::in_in_result<std::ranges::borrowed_iterator_t<Keys>,
                                             std::ranges::borrowed_iterator_t<Values>>;
    return call_range<result>(
        policy,
        [keys = bounds_of(keys),
         values = bounds_of(values),
         less = project(std::move(comp), std::move(proj))](const auto& how) mutable {
          const auto sorted = front_of(keys, values.size());
          weft::sort_by_key(how, sorted.first, sorted.last, values.first, std::move(less));
          return std::ranges::in_in_result{sorted.last, front_of(values, keys.size()).last};
        });
  }
};

/// Where runs go. Not a private member of a class: nvcc makes its deduction guide public.
template <class KeysOut, class ValuesOut>
struct run_outputs {
  KeysOut keys;
  ValuesOut values;
  std::ptrdiff_t room;
};
template <class KeysOut, class ValuesOut>
run_outputs(KeysOut, ValuesOut, std::ptrdiff_t) -> run_outputs<KeysOut, ValuesOut>;

struct range_reduce_by_key {
  template <class Keys, class Values, class KeysOut, class ValuesOut>
  using result = ranges::reduce_by_key_result<std::ranges::borrowed_iterator_t<Keys>,
                                              std::ranges::borrowed_iterator_t<Values>,
                                              sink_result_t<KeysOut>,
                                              sink_result_t<ValuesOut>>;

  template <execution_policy Policy,
            random_access_range_for<Policy> Keys,
            random_access_range_for<Policy> Values,
            output_for<Policy> KeysOut,
            output_for<Policy> ValuesOut,
            std::indirect_equivalence_relation<std::ranges::iterator_t<Keys>> Equal =
                std::ranges::equal_to,
            class Op = std::plus<>>
    requires std::indirectly_copyable<std::ranges::iterator_t<Keys>, sink_iterator<KeysOut>> &&
             operation_on<decltype(plain_call(std::declval<Op>())),
                          std::ranges::range_value_t<Values>,
                          std::ranges::iterator_t<Values>>
  auto operator()(Policy&& policy,
                  Keys&& keys,
                  Values&& values,
                  KeysOut&& keys_out,
                  ValuesOut&& values_out,
                  Equal equal = {},
                  Op op = {}) const
      -> algorithm_result_t<Policy, result<Keys, Values, KeysOut, ValuesOut>> {
    return call_range<result<Keys, Values, KeysOut, ValuesOut>>(
        policy,
        [keys = bounds_of(keys),
         values = bounds_of(values),
         keys_out = sink_of(keys_out),
         values_out = sink_of(values_out),
         equal = plain_call(std::move(equal)),
         op = plain_call(std::move(op))](const auto& how) mutable {
          const auto read = front_of(keys, values.size());
          const std::ptrdiff_t n = read.size();
          const std::ptrdiff_t room = std::min(keys_out.room, values_out.room);
          if (room < n) {
            return some_runs(
                read, values.first, run_outputs{keys_out.first, values_out.first, room}, equal, op);
          }
          auto ends = weft::reduce_by_key(how,
                                          read.first,
                                          read.last,
                                          values.first,
                                          keys_out.first,
                                          values_out.first,
                                          std::move(equal),
                                          std::move(op));
          return ranges::reduce_by_key_result{read.last,
                                              std::ranges::next(values.first, n),
                                              std::move(ends.first),
                                              std::move(ends.second)};
        });
  }

 private:
  /// As many runs as there is room for.
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Equal, class Op>
  static auto some_runs(
      bounds<Keys> keys, Values values, run_outputs<KeysOut, ValuesOut> out, Equal& equal, Op& op) {
    while (keys.first != keys.last && out.room-- > 0) {
      std::iter_value_t<Values> sum = *values;
      *out.keys = *keys.first;
      Keys before = keys.first;
      for (++keys.first, static_cast<void>(++values);
           keys.first != keys.last && static_cast<bool>(equal(*before, *keys.first));
           before = keys.first, static_cast<void>(++keys.first), static_cast<void>(++values)) {
        sum = static_cast<std::iter_value_t<Values>>(op(std::move(sum), *values));
      }
      *out.values = std::move(sum);
      ++out.keys;
      ++out.values;
    }
    return ranges::reduce_by_key_result{
        std::move(keys.first), std::move(values), std::move(out.keys), std::move(out.values)};
  }
};

struct range_histogram {
  template <class Range, class Output>
  using result =
      std::ranges::in_out_result<std::ranges::borrowed_iterator_t<Range>, sink_result_t<Output>>;

  template <execution_policy Policy,
            random_access_range_for<Policy> Range,
            std::integral Size,
            class Bound,
            output_for<Policy> Output>
    requires std::is_arithmetic_v<std::ranges::range_value_t<Range>> &&
             std::is_arithmetic_v<Bound> && std::random_access_iterator<sink_iterator<Output>>
  auto operator()(Policy&& policy,
                  Range&& range,
                  Size num_bins,
                  Bound low,
                  std::type_identity_t<Bound> high,
                  Output&& output) const -> algorithm_result_t<Policy, result<Range, Output>> {
    const equal_bins bin_of{
        static_cast<double>(low), static_cast<double>(high), static_cast<double>(num_bins)};
    return count_in<Range, Output>(
        policy, range, bin_of, static_cast<std::ptrdiff_t>(num_bins), output);
  }

  template <execution_policy Policy,
            random_access_range_for<Policy> Range,
            random_access_range_for<Policy> Bounds,
            output_for<Policy> Output>
    requires std::random_access_iterator<sink_iterator<Output>> &&
             std::indirect_strict_weak_order<std::ranges::less,
                                             std::ranges::iterator_t<Range>,
                                             std::ranges::iterator_t<Bounds>>
  auto operator()(Policy&& policy, Range&& range, Bounds&& between, Output&& output) const
      -> algorithm_result_t<Policy, result<Range, Output>> {
    const auto borders = bounds_of(between);
    const std::ptrdiff_t num_borders = borders.size();
    const bins_between<std::ranges::iterator_t<Bounds>> bin_of{borders.first, borders.last};
    return count_in<Range, Output>(
        policy, range, bin_of, std::max<std::ptrdiff_t>(num_borders - 1, 0), output);
  }

 private:
  /// Bins behind the end of the output are not counted.
  template <class Range, class Output, class Policy, class Bins>
  static auto count_in(const Policy& policy,
                       std::remove_reference_t<Range>& range,
                       const Bins& bin_of,
                       std::ptrdiff_t num_bins,
                       std::remove_reference_t<Output>& output)
      -> algorithm_result_t<Policy, result<Range, Output>> {
    return call_range<result<Range, Output>>(
        policy, [in = bounds_of(range), bin_of, num_bins, out = sink_of(output)](const auto& how) {
          const auto counted = static_cast<std::size_t>(out.fitting(num_bins));
          auto end = launch<histogram_call>(
              how, std::pair(in.first, in.last), std::pair(bin_of, counted), out.first);
          return std::ranges::in_out_result{in.last, std::move(end)};
        });
  }
};

}  // namespace algorithms::detail

namespace ranges {

/// Sorts keys, and values along with them: `sort_by_key(policy, keys, values, less = {}, proj =
/// {})`, as far as both ranges reach; returns where it ended in both. Equal keys keep their order.
/// Example: tests/algorithms/ranges_by_key_test.cpp: values_go_with_their_keys.
inline constexpr algorithms::detail::range_sort_by_key sort_by_key;
/// For each run of equal keys its first key and its values, reduced: `reduce_by_key(policy, keys,
/// values, keys_out, values_out, equal = {}, op = plus)`, as far as both ranges reach. Returns a
/// `reduce_by_key_result`. If an output might be too small, the caller works alone, and stops
/// before the first run that there is no room for.
/// Example: tests/algorithms/ranges_by_key_test.cpp: each_run_gives_one_value.
inline constexpr algorithms::detail::range_reduce_by_key reduce_by_key;
/// Counts: `histogram(policy, range, num_bins, low, high, output)` in bins of one width that divide
/// [low, high), `histogram(policy, range, bounds, output)` in those between neighbours of a sorted
/// range. Bins that the output has no room for are left out.
/// Example: tests/algorithms/ranges_by_key_test.cpp: counts_fall_into_bins.
inline constexpr algorithms::detail::range_histogram histogram;

}  // namespace ranges
}  // namespace weft

// NOLINTEND(readability-function-size)
