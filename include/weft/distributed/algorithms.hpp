// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms on distributed vectors: a parallel algorithm of weft on each rank's elements, and
// collective operations.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/algorithms/copy.hpp"
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/fill.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/for_loop.hpp"
#include "weft/algorithms/min_max.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/transform.hpp"
#include "weft/algorithms/transform_reduce.hpp"
#include "weft/distributed/detail/exchange.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/vector.hpp"

namespace weft::distributed {

/// A policy of calls that return when they are done: not `policy(as_future)` or `(as_sender)`.
template <class P>
concept blocking_policy = execution_policy<P> && std::same_as<algorithm_result_t<P, int>, int>;

/// An element of a distributed vector.
template <class T>
struct indexed {
  std::size_t index = 0;
  T value{};

  friend bool operator==(const indexed&, const indexed&) = default;
};

namespace detail {

/// Combines `init` and the parts of the ranks, in the order of the ranks.
template <class Value, class Op, class Part>
Value combine_parts(Value init, Op& op, Part part) {
  for (std::optional<Value>& each : gather_parts(part)) {
    if (each) {
      init = op(std::move(init), *std::move(each));
    }
  }
  return init;
}

template <class Value, class Policy, class T, class Op>
std::optional<Value> local_sum(Policy& policy, std::span<const T> mine, Op& op) {
  if (mine.empty()) {
    return std::nullopt;
  }
  return weft::reduce(policy, mine.begin() + 1, mine.end(), static_cast<Value>(mine.front()), op);
}

/// The first one by `comp`, of equal ones that with the lowest index.
template <class T, class Find, class Comp>
std::optional<indexed<T>> first_by(const vector<T>& all, Find find, Comp comp) {
  const auto parts = gather_parts([&]() -> std::optional<indexed<T>> {
    const std::span<const T> mine = all.local();
    if (mine.empty()) {
      return std::nullopt;
    }
    const auto found = find(mine);
    return indexed<T>{all.global_index(static_cast<std::size_t>(found - mine.begin())), *found};
  });
  std::optional<indexed<T>> best;
  for (const std::optional<indexed<T>>& each : parts) {
    if (each && (!best || comp(each->value, best->value) ||
                 (!comp(best->value, each->value) && each->index < best->index))) {
      best = each;
    }
  }
  return best;
}

template <class Part>
std::size_t sum_of_parts(Part part) {
  const std::vector<std::size_t> all = gather_parts(part);
  return std::reduce(all.begin(), all.end());
}

}  // namespace detail

/// Calls `f` with each element.
///
/// All functions of this header are collective: all ranks call them in the same order. They return
/// when the parts of all ranks are done.
///
/// Cost:    the parallel algorithm on the local elements, and one all_gather, of the ranks' results.
/// Threads: blocks; the calling task is suspended while other ranks work. Other ranks must not
///          access the vectors meanwhile, by `get` or `set` for example.
/// Errors:  what `f` throws on the first rank on which it fails, on all ranks: the vectors are then
///          in a valid, unspecified state. `weft::error` if vectors do not fit together.
/// Example: tests/distributed/vector_algorithms_test.cpp: elements_are_changed_in_place.
template <blocking_policy Policy, class T, class F>
void for_each(Policy&& policy, vector<T>& all, F f) {
  static_cast<void>(detail::gather_parts([&] {
    const std::span<T> mine = all.local();
    weft::for_each(policy, mine.begin(), mine.end(), f);
  }));
}

/// Assigns `value` to each element.
template <blocking_policy Policy, class T>
void fill(Policy&& policy, vector<T>& all, const std::type_identity_t<T>& value) {
  static_cast<void>(detail::gather_parts([&] {
    const std::span<T> mine = all.local();
    weft::fill(policy, mine.begin(), mine.end(), value);
  }));
}

/// Assigns `f(i)` to each element, of which i is the index in the whole vector.
template <blocking_policy Policy, class T, class F>
void generate(Policy&& policy, vector<T>& all, F f) {
  static_cast<void>(detail::gather_parts([&] {
    const std::span<T> mine = all.local();
    weft::for_loop(policy, std::size_t{0}, mine.size(), [&](std::size_t i) {
      mine[i] = f(all.global_index(i));
    });
  }));
}

/// Assigns `f(element of in)` to each element of `out`, which has the same size and distribution.
template <blocking_policy Policy, class T, class U, class F>
void transform(Policy&& policy, const vector<T>& in, vector<U>& out, F f) {
  detail::require_same_layout("transform", in.layout(), out.layout());
  static_cast<void>(detail::gather_parts([&] {
    const std::span<const T> mine = in.local();
    weft::transform(policy, mine.begin(), mine.end(), out.local().begin(), f);
  }));
}
/// The same with `f(element of first, element of second)`.
template <blocking_policy Policy, class T1, class T2, class U, class F>
void transform(
    Policy&& policy, const vector<T1>& first, const vector<T2>& second, vector<U>& out, F f) {
  detail::require_same_layout("transform", first.layout(), second.layout());
  detail::require_same_layout("transform", first.layout(), out.layout());
  static_cast<void>(detail::gather_parts([&] {
    const std::span<const T1> mine = first.local();
    weft::transform(
        policy, mine.begin(), mine.end(), second.local().begin(), out.local().begin(), f);
  }));
}

/// Copies all elements to a vector of the same size and any distribution.
/// Cost:    with the same distribution a local copy; otherwise a message to each rank.
/// Example: tests/distributed/vector_algorithms_test.cpp: copies_change_the_distribution.
template <blocking_policy Policy, class T>
void copy(Policy&& policy, const vector<T>& from, vector<T>& to) {
  detail::require_same_size("copy", from.layout(), to.layout());
  if (from.layout() != to.layout()) {
    detail::move_elements<T>(from.layout(), 0, from.local(), to.layout(), to.local());
    return;
  }
  static_cast<void>(detail::gather_parts([&] {
    const std::span<const T> mine = from.local();
    weft::copy(policy, mine.begin(), mine.end(), to.local().begin());
  }));
}
/// A copy of `from` with another distribution.
template <class T>
[[nodiscard]] vector<T> redistribute(const vector<T>& from, distribution spread) {
  vector<T> to(from.size(), spread);
  distributed::copy(seq, from, to);
  return to;
}

/// Combines `init` and all elements by `op`; all ranks get the result.
///
/// Elements keep their order if the distribution is `block`: `op` need be associative only. Of a
/// cyclic vector, `op` must be commutative, too. Sums of floating-point numbers depend on the number
/// of ranks.
/// Example: tests/distributed/vector_algorithms_test.cpp: reductions_keep_the_order_of_blocks.
template <blocking_policy Policy, class T, class Value = T, class Op = std::plus<>>
[[nodiscard]] Value reduce(Policy&& policy,
                           const vector<T>& all,
                           Value init = Value(),
                           Op op = {}) {
  return detail::combine_parts(
      std::move(init), op, [&] { return detail::local_sum<Value>(policy, all.local(), op); });
}

/// As `reduce`, of `map(element)`.
template <blocking_policy Policy, class T, class Value, class Op, class Map>
[[nodiscard]] Value transform_reduce(
    Policy&& policy, const vector<T>& all, Value init, Op op, Map map) {
  return detail::combine_parts(std::move(init), op, [&]() -> std::optional<Value> {
    const std::span<const T> mine = all.local();
    if (mine.empty()) {
      return std::nullopt;
    }
    return weft::transform_reduce(
        policy, mine.begin() + 1, mine.end(), static_cast<Value>(map(mine.front())), op, map);
  });
}
/// As `reduce`, of `map(element of first, element of second)`: by default the inner product.
template <blocking_policy Policy,
          class T1,
          class T2,
          class Value,
          class Op = std::plus<>,
          class Map = std::multiplies<>>
[[nodiscard]] Value transform_reduce(Policy&& policy,
                                     const vector<T1>& first,
                                     const vector<T2>& second,
                                     Value init,
                                     Op op = {},
                                     Map map = {}) {
  detail::require_same_layout("transform_reduce", first.layout(), second.layout());
  return detail::combine_parts(std::move(init), op, [&]() -> std::optional<Value> {
    const std::span<const T1> mine = first.local();
    const std::span<const T2> others = second.local();
    if (mine.empty()) {
      return std::nullopt;
    }
    return weft::transform_reduce(policy,
                                  mine.begin() + 1,
                                  mine.end(),
                                  others.begin() + 1,
                                  static_cast<Value>(map(mine.front(), others.front())),
                                  op,
                                  map);
  });
}

/// The number of elements that satisfy `predicate`.
/// Example: tests/distributed/vector_algorithms_test.cpp: elements_are_counted_and_found.
template <blocking_policy Policy, class T, class Predicate>
[[nodiscard]] std::size_t count_if(Policy&& policy, const vector<T>& all, Predicate predicate) {
  return detail::sum_of_parts([&] {
    const std::span<const T> mine = all.local();
    return static_cast<std::size_t>(weft::count_if(policy, mine.begin(), mine.end(), predicate));
  });
}
/// The number of elements that equal `value`.
template <blocking_policy Policy, class T, class Value>
[[nodiscard]] std::size_t count(Policy&& policy, const vector<T>& all, const Value& value) {
  return detail::sum_of_parts([&] {
    const std::span<const T> mine = all.local();
    return static_cast<std::size_t>(weft::count(policy, mine.begin(), mine.end(), value));
  });
}

/// The index of the first element that satisfies `predicate`; none: no value.
/// Cost:    each rank searches until it finds one itself.
template <blocking_policy Policy, class T, class Predicate>
[[nodiscard]] std::optional<std::size_t> find_if(Policy&& policy,
                                                 const vector<T>& all,
                                                 Predicate predicate) {
  const std::size_t first = std::ranges::min(detail::gather_parts([&] {
    const std::span<const T> mine = all.local();
    const auto found = weft::find_if(policy, mine.begin(), mine.end(), predicate);
    return found == mine.end() ? all.size()
                               : all.global_index(static_cast<std::size_t>(found - mine.begin()));
  }));
  return first == all.size() ? std::nullopt : std::optional(first);
}
/// The index of the first element that equals `value`; none: no value.
template <blocking_policy Policy, class T, class Value>
[[nodiscard]] std::optional<std::size_t> find(Policy&& policy,
                                              const vector<T>& all,
                                              const Value& value) {
  return distributed::find_if(policy, all, [&](const T& each) { return each == value; });
}

/// True if any element satisfies `predicate`.
template <blocking_policy Policy, class T, class Predicate>
[[nodiscard]] bool any_of(Policy&& policy, const vector<T>& all, Predicate predicate) {
  return distributed::find_if(policy, all, predicate).has_value();
}
/// True if no element satisfies `predicate`.
template <blocking_policy Policy, class T, class Predicate>
[[nodiscard]] bool none_of(Policy&& policy, const vector<T>& all, Predicate predicate) {
  return !distributed::any_of(policy, all, predicate);
}
/// True if all elements satisfy `predicate`.
template <blocking_policy Policy, class T, class Predicate>
[[nodiscard]] bool all_of(Policy&& policy, const vector<T>& all, Predicate predicate) {
  return distributed::none_of(policy, all, std::not_fn(predicate));
}

/// The first smallest element by `comp`, and its index; of an empty vector no value.
template <blocking_policy Policy, class T, class Compare = std::less<>>
[[nodiscard]] std::optional<indexed<T>> min_element(Policy&& policy,
                                                    const vector<T>& all,
                                                    Compare comp = {}) {
  return detail::first_by(
      all,
      [&](std::span<const T> mine) {
        return weft::min_element(policy, mine.begin(), mine.end(), comp);
      },
      comp);
}
/// The first largest element by `comp`, and its index; of an empty vector no value.
template <blocking_policy Policy, class T, class Compare = std::less<>>
[[nodiscard]] std::optional<indexed<T>> max_element(Policy&& policy,
                                                    const vector<T>& all,
                                                    Compare comp = {}) {
  return detail::first_by(
      all,
      [&](std::span<const T> mine) {
        return weft::max_element(policy, mine.begin(), mine.end(), comp);
      },
      [&](const T& a, const T& b) { return comp(b, a); });
}

namespace detail {

/// Has `local(mine, out, before)` scan each rank's elements, after the sum `before` of those in front
/// of them. Vectors of other distributions are copied to blocks and back.
template <class Value, class Policy, class T, class U, class Op, class Local>
void scan(Policy& policy,
          const vector<T>& in,
          vector<U>& out,
          std::optional<Value> before,
          Op& op,
          Local local) {
  require_same_size("a scan", in.layout(), out.layout());
  if (!in.layout().is_contiguous() || in.layout() != out.layout()) {
    const vector<T> blocks = redistribute(in, block);
    vector<U> sums(out.size(), block);
    scan(policy, blocks, sums, std::move(before), op, local);
    distributed::copy(policy, sums, out);
    return;
  }
  auto parts = gather_parts([&] { return local_sum<Value>(policy, in.local(), op); });
  static_cast<void>(gather_parts([&] {
    parts.resize(static_cast<std::size_t>(here().rank()));
    for (std::optional<Value>& each : parts) {
      if (each) {
        before = before ? op(*std::move(before), *std::move(each)) : *std::move(each);
      }
    }
    local(in.local(), out.local().begin(), std::move(before));
  }));
}

template <class Policy, class Op>
auto local_inclusive_scan(Policy& policy, Op& op) {
  return [&]<class T, class Out, class Value>(
             std::span<const T> mine, Out out, std::optional<Value> before) {
    if (before) {
      weft::inclusive_scan(policy, mine.begin(), mine.end(), out, op, *std::move(before));
    } else {
      weft::inclusive_scan(policy, mine.begin(), mine.end(), out, op);
    }
  };
}

}  // namespace detail

/// Assigns `in[0] op ... op in[i]` to each element i of `out`, which may be `in`.
///
/// `op` is associative; it need not be commutative.
/// Cost:    of block vectors: two passes over `in`, two all_gathers. Other vectors are copied to
///          blocks first, and back.
/// Example: tests/distributed/vector_algorithms_test.cpp: scans_agree_with_the_standard.
template <blocking_policy Policy, class T, class U, class Op = std::plus<>>
void inclusive_scan(Policy&& policy, const vector<T>& in, vector<U>& out, Op op = {}) {
  detail::scan(policy,
               in,
               out,
               std::optional<T>(),
               op,
               detail::local_inclusive_scan<std::remove_reference_t<Policy>>(policy, op));
}
/// The same with `init` in front.
template <blocking_policy Policy, class T, class U, class Op, class Value>
void inclusive_scan(Policy&& policy, const vector<T>& in, vector<U>& out, Op op, Value init) {
  detail::scan(policy,
               in,
               out,
               std::optional<Value>(std::move(init)),
               op,
               detail::local_inclusive_scan<std::remove_reference_t<Policy>>(policy, op));
}

/// Assigns `init op in[0] op ... op in[i - 1]` to each element i of `out`, which may be `in`.
template <blocking_policy Policy, class T, class U, class Value, class Op = std::plus<>>
void exclusive_scan(Policy&& policy, const vector<T>& in, vector<U>& out, Value init, Op op = {}) {
  detail::scan(policy,
               in,
               out,
               std::optional<Value>(std::move(init)),
               op,
               [&](std::span<const T> mine, auto to, std::optional<Value> before) {
                 weft::exclusive_scan(policy, mine.begin(), mine.end(), to, *std::move(before), op);
               });
}

}  // namespace weft::distributed
