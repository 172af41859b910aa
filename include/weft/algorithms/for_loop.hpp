// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over indices or iterators, with values that are reduced or that step along.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

/// The counter of `for_loop`: an integer, or an iterator, which the function receives itself.
template <class I>
concept loop_counter = (std::integral<I> && !std::same_as<I, bool>) || std::forward_iterator<I>;

namespace algorithms::detail {

/// A separate value for every chunk, initialised with `identity`; at the end `op` combines all of
/// them into `*into`, in the order of the chunks.
template <class T, class Op>
struct reduction_of {
  T* into;
  T identity;
  Op op;

  struct state {
    T value;
    [[nodiscard]] T& argument() noexcept { return value; }
    void step() noexcept {}
  };
  [[nodiscard]] state begin_at(std::size_t /*index*/) const { return state{identity}; }
  [[nodiscard]] state combine(state left, state right) const {
    return state{std::invoke(op, std::move(left.value), std::move(right.value))};
  }
  void finish(state total, std::size_t /*n*/) const {
    *into = std::invoke(op, std::move(*into), std::move(total.value));
  }
};

/// A value that is `first + i * stride` at the i-th call; `*into`, if any, is what comes after the
/// last one.
template <class T, class Stride>
struct induction_of {
  T* into;
  T first;
  Stride stride;

  struct state {
    T value;
    Stride stride;
    [[nodiscard]] const T& argument() const noexcept { return value; }
    void step() { value = static_cast<T>(value + stride); }
  };
  [[nodiscard]] T at(std::size_t index) const {
    return static_cast<T>(first + static_cast<T>(index) * stride);
  }
  [[nodiscard]] state begin_at(std::size_t index) const { return {at(index), stride}; }
  [[nodiscard]] state combine(state /*left*/, state right) const { return right; }
  void finish(const state& /*total*/, std::size_t n) const {
    if (into != nullptr) {
      *into = at(n);
    }
  }
};

/// An iterator that steps along.
template <std::random_access_iterator T, class Stride>
struct induction_of<T, Stride> {
  T* into;
  T first;
  Stride stride;

  struct state {
    T value;
    Stride stride;
    [[nodiscard]] const T& argument() const noexcept { return value; }
    void step() { value += static_cast<std::iter_difference_t<T>>(stride); }
  };
  [[nodiscard]] T at(std::size_t index) const {
    using difference = std::iter_difference_t<T>;
    return first + static_cast<difference>(index) * static_cast<difference>(stride);
  }
  [[nodiscard]] state begin_at(std::size_t index) const { return {at(index), stride}; }
  [[nodiscard]] state combine(state /*left*/, state right) const { return right; }
  void finish(const state& /*total*/, std::size_t n) const {
    if (into != nullptr) {
      *into = at(n);
    }
  }
};

using unit_stride = std::integral_constant<int, 1>;

/// Where a loop begins, where it ends, and how it gets on.
template <class I, class Stride>
struct loop_bounds {
  I first;
  I last;
  Stride stride;

  static constexpr bool has_indices = std::integral<I> || std::random_access_iterator<I>;

  [[nodiscard]] std::size_t size() const {
    // A stride away from `last` makes an empty loop.
    if constexpr (std::integral<I>) {
      if (stride > 0 ? first >= last : first <= last) {
        return 0;
      }
      using wide = std::make_unsigned_t<I>;
      const auto low = static_cast<wide>(stride > 0 ? first : last);
      const auto high = static_cast<wide>(stride > 0 ? last : first);
      return ceil_div(static_cast<std::size_t>(static_cast<wide>(high - low)), step_size());
    } else {
      const auto distance = stride > 0 ? last - first : first - last;
      return distance <= 0 ? 0 : ceil_div(static_cast<std::size_t>(distance), step_size());
    }
  }
  [[nodiscard]] I at(std::size_t index) const {
    if constexpr (std::integral<I>) {
      // As unsigned numbers, which may wrap on the way.
      return static_cast<I>(static_cast<std::size_t>(first) +
                            index * static_cast<std::size_t>(stride));
    } else {
      using difference = std::iter_difference_t<I>;
      return first + static_cast<difference>(index) * static_cast<difference>(stride);
    }
  }
  /// Calls `f` with the counters of [begin, end).
  template <class F>
  [[gnu::always_inline]] void for_each(std::size_t begin, std::size_t end, F f) const {
    if constexpr (std::same_as<Stride, unit_stride>) {
      I i = at(begin);
      for (const I behind = at(end); i != behind; ++i) {
        f(std::as_const(i));
      }
    } else {
      for (; begin != end; ++begin) {
        f(at(begin));
      }
    }
  }

 private:
  [[nodiscard]] std::size_t step_size() const noexcept {
    const auto wide = static_cast<std::size_t>(stride);
    return stride > 0 ? wide : std::size_t{0} - wide;
  }
};

/// The objects of a loop, and its function.
template <class F, class... Objects>
struct loop_parts {
  std::tuple<const Objects&...> objects;
  F& f;

  using states = std::tuple<typename Objects::state...>;

  [[nodiscard]] states begin_at(std::size_t index) const {
    return std::apply([index](const auto&... each) { return states{each.begin_at(index)...}; },
                      objects);
  }
  template <class I>
  [[gnu::always_inline]] void call(const I& i, states& now) const {
    std::apply([&](auto&... each) { std::invoke(f, i, each.argument()...); }, now);
    std::apply([](auto&... each) { (each.step(), ...); }, now);
  }
  template <std::size_t... k>
  [[nodiscard]] states combine(states left, states right, std::index_sequence<k...> /*all*/) const {
    return states{std::get<k>(objects).combine(std::move(std::get<k>(left)),
                                               std::move(std::get<k>(right)))...};
  }
  template <std::size_t... k>
  void finish(states total, std::size_t n, std::index_sequence<k...> /*all*/) const {
    (std::get<k>(objects).finish(std::move(std::get<k>(total)), n), ...);
  }
};

/// Whether the last of the arguments is called with a counter and with what those before it hold.
template <class I, class Arguments, std::size_t... k>
consteval bool are_loop_arguments(std::index_sequence<k...> /*objects*/) {
  using function = std::tuple_element_t<sizeof...(k), Arguments>;
  if constexpr ((requires { typename std::tuple_element_t<k, Arguments>::state; } && ...)) {
    return std::is_invocable_v<
        function&,
        const I&,
        decltype(std::declval<typename std::tuple_element_t<k, Arguments>::state&>()
                     .argument())...>;
  } else {
    return false;
  }
}

struct for_loop_call {
  template <class How, class Bounds, class... Args>
  static void run(const How& how, const Bounds& bounds, Args&&... args) {
    constexpr std::size_t num_objects = sizeof...(Args) - 1;
    const auto all = std::forward_as_tuple(args...);
    split(how, bounds, all, std::make_index_sequence<num_objects>{});
  }

 private:
  template <class How, class Bounds, class All, std::size_t... k>
  static void split(const How& how,
                    const Bounds& bounds,
                    const All& all,
                    std::index_sequence<k...> indices) {
    auto& f = std::get<sizeof...(k)>(all);
    using parts_type = loop_parts<std::remove_reference_t<decltype(f)>,
                                  std::remove_cvref_t<std::tuple_element_t<k, All>>...>;
    const parts_type parts{std::tie(std::as_const(std::get<k>(all))...), f};
    if constexpr (!Bounds::has_indices) {
      walk(bounds, parts, indices);
    } else if constexpr (sizeof...(k) == 0) {
      plain(how, bounds, f);
    } else {
      reduced(how, bounds, parts, indices);
    }
  }

  template <class How, class Bounds, class F>
  static void plain(const How& how, const Bounds& bounds, F& f) {
    static constinit cost_record costs;
    for_chunks(
        how, {.n = bounds.size()}, costs, [&bounds, &f](std::size_t first, std::size_t last) {
          bounds.for_each(first, last, [&f](const auto& i) { std::invoke(f, i); });
        });
  }

  template <class How, class Bounds, class Parts, class Indices>
  static void reduced(const How& how, const Bounds& bounds, const Parts& parts, Indices indices) {
    using states = typename Parts::states;
    const std::size_t n = bounds.size();
    if (n == 0) {
      parts.finish(parts.begin_at(0), 0, indices);
      return;
    }
    static constinit cost_record costs;
    states total = reduce_chunks<states>(
        how,
        {.n = n},
        costs,
        [&](std::size_t first, std::size_t last) {
          states now = parts.begin_at(first);
          bounds.for_each(first, last, [&](const auto& i) { parts.call(i, now); });
          return now;
        },
        [&](states left, states right) {
          return parts.combine(std::move(left), std::move(right), indices);
        });
    parts.finish(std::move(total), n, indices);
  }

  /// Iterators that cannot jump: in sequence.
  template <class Bounds, class Parts, class Indices>
  static void walk(const Bounds& bounds, const Parts& parts, Indices indices) {
    auto now = parts.begin_at(0);
    std::size_t n = 0;
    for (auto at = bounds.first; at != bounds.last; ++n) {
      parts.call(at, now);
      for (std::ptrdiff_t steps = bounds.stride; steps > 0 && at != bounds.last; --steps) {
        ++at;
      }
    }
    parts.finish(std::move(now), n, indices);
  }
};

}  // namespace algorithms::detail

/// Reductions and inductions, if any, and last a function that takes a counter and a value of each.
template <class I, class... Arguments>
concept loop_arguments =
    sizeof...(Arguments) > 0 &&
    algorithms::detail::are_loop_arguments<I, std::tuple<std::remove_cvref_t<Arguments>...>>(
        std::make_index_sequence<sizeof...(Arguments) - 1>());

/// An argument of `for_loop`. The function gets a reference to a T that starts as `identity` and is
/// private to some of the calls. At the end `op` combines all of them into `into`, in the order of
/// the indices, so `op` need not be commutative.
///
/// Example: tests/algorithms/for_loop_test.cpp: reduces.
template <class T, class Op>
[[nodiscard]] algorithms::detail::reduction_of<T, Op> reduction(T& into,
                                                                std::type_identity_t<T> identity,
                                                                Op op) {
  return {&into, std::move(identity), std::move(op)};
}

/// Adds what the calls contribute to `into`.
template <class T>
[[nodiscard]] auto reduction_plus(T& into) {
  return reduction(into, T(), std::plus<>());
}
/// Multiplies `into` by what the calls contribute.
template <class T>
[[nodiscard]] auto reduction_multiplies(T& into) {
  return reduction(into, T(1), std::multiplies<>());
}
/// Leaves in `into` the least of it and of what the calls contribute.
template <class T>
[[nodiscard]] auto reduction_min(T& into) {
  return reduction(into, into, [](const T& a, const T& b) { return std::min(a, b); });
}
/// Leaves in `into` the greatest of it and of what the calls contribute.
template <class T>
[[nodiscard]] auto reduction_max(T& into) {
  return reduction(into, into, [](const T& a, const T& b) { return std::max(a, b); });
}
/// Combines `into` with what the calls contribute by `&`.
template <std::integral T>
[[nodiscard]] auto reduction_bit_and(T& into) {
  return reduction(into, static_cast<T>(~T()), std::bit_and<>());
}
/// Combines `into` with what the calls contribute by `|`.
template <std::integral T>
[[nodiscard]] auto reduction_bit_or(T& into) {
  return reduction(into, T(), std::bit_or<>());
}
/// Combines `into` with what the calls contribute by `^`.
template <std::integral T>
[[nodiscard]] auto reduction_bit_xor(T& into) {
  return reduction(into, T(), std::bit_xor<>());
}

/// An argument of `for_loop`: the function is given `value + i * stride` at the i-th call, and
/// `value`, if it is a variable, holds the next one afterwards.
///
/// Example: tests/algorithms/for_loop_test.cpp: steps_values_along.
template <class T, class Stride = int>
[[nodiscard]] auto induction(T&& value, Stride stride = 1) {
  using kept = std::remove_cvref_t<T>;
  kept* into = nullptr;
  if constexpr (std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>) {
    into = &value;
  }
  return algorithms::detail::induction_of<kept, Stride>{into, value, stride};
}

/// Calls `f(i, objects' values...)` for i = first, first + 1, ... before `last`; `f` is the last of
/// `arguments`, reductions and inductions come before it.
///
/// Cost:    a call each; one value per chunk and object.
/// Threads: with a parallel policy `f` is called from several at once; with forward iterators the
///          calling thread works alone.
/// Errors:  the first exception that `f` throws; variables are then as they were.
/// Example: tests/algorithms/for_loop_test.cpp: calls_every_index_once.
template <execution_policy Policy, loop_counter I, class... Arguments>
  requires loop_arguments<I, Arguments...>
algorithm_result_t<Policy, void> for_loop(Policy&& policy,
                                          I first,
                                          std::type_identity_t<I> last,
                                          Arguments&&... arguments) {
  return algorithms::detail::launch<algorithms::detail::for_loop_call>(
      policy,
      algorithms::detail::loop_bounds<I, algorithms::detail::unit_stride>{first, last, {}},
      std::forward<Arguments>(arguments)...);
}

/// As `for_loop` for i = first, first + stride, ...: a negative stride goes down.
/// Shape:   `stride` is not 0; iterators that cannot jump take a positive one only.
template <execution_policy Policy, loop_counter I, std::signed_integral Stride, class... Arguments>
  requires loop_arguments<I, Arguments...>
algorithm_result_t<Policy, void> for_loop_strided(Policy&& policy,
                                                  I first,
                                                  std::type_identity_t<I> last,
                                                  Stride stride,
                                                  Arguments&&... arguments) {
  return algorithms::detail::launch<algorithms::detail::for_loop_call>(
      policy,
      algorithms::detail::loop_bounds<I, Stride>{first, last, stride},
      std::forward<Arguments>(arguments)...);
}

}  // namespace weft
