// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduces the values of each run of equal keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/memory/scratch.hpp"
#include "weft/algorithms/detail/reducing/plain_runs.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/detail/sharing/tasks.hpp"
#include "weft/algorithms/detail/sorting/split.hpp"

namespace weft {

namespace algorithms::detail {

/// Numbers side by side, written where there are such, and equal as numbers are.
template <class Number, class From, class To>
inline constexpr bool are_plain_numbers =
    std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool> && sizeof(Number) <= 8 &&
    std::contiguous_iterator<From> && std::contiguous_iterator<To> &&
    std::is_same_v<std::iter_reference_t<To>, Number&> &&
    (std::is_same_v<std::iter_reference_t<From>, Number&> ||
     std::is_same_v<std::iter_reference_t<From>, const Number&>);

/// Runs of such keys.
template <class Runs>
inline constexpr bool has_plain_keys =
    are_plain_numbers<typename Runs::key, typename Runs::keys_type, typename Runs::key*> &&
    (std::is_same_v<std::remove_cv_t<typename Runs::equal_type>, std::equal_to<>> ||
     std::is_same_v<std::remove_cv_t<typename Runs::equal_type>,
                    std::equal_to<typename Runs::key>>);

/// The same with sums of such values, written where there are such numbers.
template <class Runs, class KeysOut, class ValuesOut>
inline constexpr bool has_plain_runs =
    has_plain_keys<Runs> &&
    are_plain_numbers<typename Runs::key, typename Runs::keys_type, KeysOut> &&
    are_plain_numbers<typename Runs::value, typename Runs::values_type, ValuesOut> &&
    (std::is_same_v<std::remove_cv_t<typename Runs::op_type>, std::plus<>> ||
     std::is_same_v<std::remove_cv_t<typename Runs::op_type>, std::plus<typename Runs::value>>);

/// Keys, their values, and what is done with them.
template <class Keys, class Values, class Equal, class Op>
struct keyed_runs {
  Keys keys;
  Values values;
  Equal& equal;
  Op& op;

  using key = std::iter_value_t<Keys>;
  using value = std::iter_value_t<Values>;
  using keys_type = Keys;
  using values_type = Values;
  using equal_type = Equal;
  using op_type = Op;

  [[nodiscard]] bool begins_run(std::size_t i) const {
    return i == 0 || !static_cast<bool>(equal(*advanced(keys, i - 1), *advanced(keys, i)));
  }

  [[nodiscard]] std::size_t num_runs(std::size_t first, std::size_t last) const {
    if constexpr (has_plain_keys<keyed_runs>) {
      if (first < last) {
        const std::size_t begun = static_cast<std::size_t>(begins_run(first));
        return begun + num_new_keys(std::to_address(keys), first + 1, last);
      }
    }
    std::size_t count = 0;
    for (std::size_t i = first; i < last; ++i) {
      count += static_cast<std::size_t>(begins_run(i));
    }
    return count;
  }

  /// Reduces values from `i` on to the end of their run, or to `last`.
  [[nodiscard]] value reduce_run(std::size_t& i, std::size_t last) const {
    value sum = *advanced(values, i);
    for (++i; i < last && !begins_run(i); ++i) {
      sum = static_cast<value>(op(std::move(sum), *advanced(values, i)));
    }
    return sum;
  }

  /// Writes the runs that begin in [i, last).
  template <class KeysOut, class ValuesOut>
  void write_runs(std::size_t i, std::size_t last, KeysOut& keys_out, ValuesOut& values_out) const {
    if constexpr (has_plain_runs<keyed_runs, KeysOut, ValuesOut>) {
      if (i < last) {
        const std::size_t count = write_plain_runs(
            {std::to_address(advanced(keys, i)), std::to_address(advanced(values, i)), last - i},
            std::to_address(keys_out),
            std::to_address(values_out));
        keys_out = advanced(keys_out, count);
        values_out = advanced(values_out, count);
      }
    } else {
      while (i < last) {
        *keys_out = *advanced(keys, i);
        *values_out = reduce_run(i, last);
        ++keys_out;
        ++values_out;
      }
    }
  }
};

struct reduce_by_key_call {
  template <class How, class Runs, class KeysOut, class ValuesOut>
  static std::pair<KeysOut, ValuesOut> run(
      const How& how, const Runs& runs, std::size_t n, KeysOut keys_out, ValuesOut values_out) {
    // Part of a run waits in the output for the rest of it: nothing of its value may be lost there.
    if constexpr (How::is_parallel && indexable_output<KeysOut> && indexable_output<ValuesOut> &&
                  std::is_same_v<std::iter_value_t<ValuesOut>, typename Runs::value>) {
      constexpr std::size_t together_from = 1U << 13U;
      if (n >= together_from) {
        static constinit cost_record costs;
        const cost_note noted(costs, n);
        if (pays_to_share_all(how, costs, n)) {
          const std::optional<std::size_t> num_runs = together(how, runs, n, keys_out, values_out);
          if (num_runs) {
            return {advanced(keys_out, *num_runs), advanced(values_out, *num_runs)};
          }
        }
        runs.write_runs(0, n, keys_out, values_out);
        return {keys_out, values_out};
      }
    }
    runs.write_runs(0, n, keys_out, values_out);
    return {keys_out, values_out};
  }

  /// From a public call.
  template <class How,
            class Keys,
            class Values,
            class KeysOut,
            class ValuesOut,
            class Equal,
            class Op>
  static std::pair<KeysOut, ValuesOut> run(const How& how,
                                           std::pair<Keys, Keys> keys,
                                           Values values,
                                           std::pair<KeysOut, ValuesOut> out,
                                           std::pair<Equal, Op> functions) {
    const keyed_runs<Keys, Values, Equal, Op> runs{
        keys.first, values, functions.first, functions.second};
    return run(
        how, runs, static_cast<std::size_t>(keys.second - keys.first), out.first, out.second);
  }

 private:
  /// How many runs there are; nothing: memory was short.
  template <class How, class Runs, class KeysOut, class ValuesOut>
  static std::optional<std::size_t> together(
      const How& how, const Runs& runs, std::size_t n, KeysOut keys_out, ValuesOut values_out) {
    using value = typename Runs::value;
    constexpr std::size_t smallest_part = 1U << 11U;
    const std::size_t num_parts =
        std::clamp<std::size_t>(n / smallest_part, 1, 4 * num_shares(how));
    const scratch<std::size_t> ends(num_parts);
    // What a part adds to the run that began in front of it.
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): made without throwing
    const std::unique_ptr<std::optional<value>[]> added(new (std::nothrow)
                                                            std::optional<value>[num_parts]);
    if (!ends || added == nullptr) {
      return std::nullopt;
    }
    for_tasks(how, num_parts, [&](std::size_t part) {
      std::construct_at(
          ends.data() + part,
          runs.num_runs(part_begin(n, num_parts, part), part_begin(n, num_parts, part + 1)));
    });
    for (std::size_t part = 1; part < num_parts; ++part) {
      ends.data()[part] += ends.data()[part - 1];
    }
    for_tasks(how, num_parts, [&](std::size_t part) {
      std::size_t first = part_begin(n, num_parts, part);
      const std::size_t last = part_begin(n, num_parts, part + 1);
      if (!runs.begins_run(first)) {
        added[part].emplace(runs.reduce_run(first, last));
      }
      const std::size_t before = part == 0 ? 0 : ends.data()[part - 1];
      auto keys_to = advanced(keys_out, before);
      auto values_to = advanced(values_out, before);
      runs.write_runs(first, last, keys_to, values_to);
    });
    for (std::size_t part = 1; part < num_parts; ++part) {
      if (std::optional<value>& more = added[part]; more.has_value()) {
        auto&& last_run = *advanced(values_out, ends.data()[part - 1] - 1);
        last_run = static_cast<value>(runs.op(std::move(last_run), *std::move(more)));
      }
    }
    return ends.data()[num_parts - 1];
  }
};

}  // namespace algorithms::detail

/// Reduces the values of each run of equal keys by `op`.
///
/// Keys are in [first, last), their values begin at `values`. Writes the first key of each run to
/// `keys_out`, and the reduced values of the run to `values_out`. Returns both ends.
///
/// Shape:   results do not overlap what is read; `op` need not be commutative.
/// Cost:    2 n calls of `equal`, n of `op`; with a parallel policy memory for a few values. The
///          caller works alone where outputs of values hold another type than is reduced.
/// Threads: with a parallel policy `equal` and `op` are called from several at once.
/// Errors:  the first exception that a call or a copy throws.
/// Example: tests/algorithms/selection_test.cpp: reduces_each_run.
template <execution_policy Policy,
          std::random_access_iterator Keys,
          std::random_access_iterator Values,
          std::forward_iterator KeysOut,
          std::forward_iterator ValuesOut,
          algorithms::detail::predicate_on<Keys, Keys> Equal = std::equal_to<>,
          algorithms::detail::operation_on<std::iter_value_t<Values>, Values> Op = std::plus<>>
algorithm_result_t<Policy, std::pair<KeysOut, ValuesOut>> reduce_by_key(Policy&& policy,
                                                                        Keys first,
                                                                        Keys last,
                                                                        Values values,
                                                                        KeysOut keys_out,
                                                                        ValuesOut values_out,
                                                                        Equal equal = {},
                                                                        Op op = {}) {
  return algorithms::detail::launch<algorithms::detail::reduce_by_key_call>(
      policy,
      std::pair(first, last),
      values,
      std::pair(keys_out, values_out),
      std::pair(std::move(equal), std::move(op)));
}

}  // namespace weft
