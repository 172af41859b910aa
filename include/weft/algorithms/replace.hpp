// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// replace, replace_if, replace_copy and replace_copy_if with an execution policy.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/map.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/policy.hpp"

namespace weft {
namespace algorithms::detail {

/// A copy of a number, which no loop need load again; a reference to anything else.
template <class T>
class held_value {
 public:
  explicit held_value(const T& value) noexcept : value_(value) {}
  const T& operator*() const noexcept { return value_; }

 private:
  std::conditional_t<std::is_arithmetic_v<T>, T, const T&> value_;
};

/// A number as wide as T.
template <class T>
using mask_of = typename kernels::integer_of<sizeof(T), false>::type;

/// The new value of an element; sets in `changed` the bits that differ. These bits show whether
/// there was a hit, so that elements are compared once: processors make few masks at a time.
template <class T, class Predicate>
[[gnu::always_inline]] inline T replaced(const T& from,
                                         const Predicate& own,
                                         const T with,
                                         mask_of<T>& changed) {
  T before = from;
  const T after = own(before) ? with : before;
  using mask = mask_of<T>;
  changed |= static_cast<mask>(std::bit_cast<mask>(after) ^ std::bit_cast<mask>(before));
  return after;
}

/// Replaces in a block, and returns whether anything changed.
template <std::size_t length, class T, class Predicate>
[[gnu::always_inline]] inline bool replace_at_once(T* block, const Predicate& own, const T with) {
  mask_of<T> changed = 0;
  WEFT_INDEPENDENT_ITERATIONS
  for (std::size_t k = 0; k < length; ++k) {
    block[k] = replaced(block[k], own, with, changed);
  }
  return changed != 0;
}

/// The same, where a block in which nothing changes is only read, and stays clean.
template <std::size_t length, class T, class Predicate>
[[gnu::always_inline]] inline bool replace_if_any(T* block, const Predicate& own, const T with) {
  alignas(cache_line_bytes) std::array<T, length> fresh;  // NOLINT: filled before it is read
  mask_of<T> changed = 0;
  WEFT_INDEPENDENT_ITERATIONS
  for (std::size_t k = 0; k < length; ++k) {
    fresh[k] = replaced(block[k], own, with, changed);
  }
  if (changed != 0) {
    copy_lines(
        block, fresh.data(), std::make_index_sequence<length * sizeof(T) / cache_line_bytes>{});
  }
  return changed != 0;
}

/// Replaces in whole blocks. Behind one with a hit another is expected, and written at once.
template <std::size_t length, class T, class Predicate>
[[gnu::always_inline]] inline void replace_blocks(T* block,
                                                  const T* last,
                                                  const Predicate& is_hit,
                                                  const T with) {
  const Predicate own = is_hit;  // whose members no store to an element can change
  for (bool had_hit = false; block != last; block += length) {
    had_hit = had_hit ? replace_at_once<length>(block, own, with)
                      : replace_if_any<length>(block, own, with);
  }
}

/// Replaces in [first, last), calling `is_hit` once per element.
template <class T, class Predicate>
inline void replace_block(T* first, T* last, const Predicate& is_hit, const T with) {
  // Asking whether there was a hit costs as much as some vectors.
  constexpr std::size_t large = 8 * cache_line_bytes / sizeof(T);
  constexpr std::size_t small = std::max<std::size_t>(2 * cache_line_bytes / sizeof(T), 32);
  const auto n = static_cast<std::size_t>(last - first);
  T* const end_of_large = last - n % large;
  T* const whole = last - n % small;
  if (first != whole) {
    run_vectorized([&]() __attribute__((always_inline)) {
      replace_blocks<large>(first, end_of_large, is_hit, with);
      replace_blocks<small>(end_of_large, whole, is_hit, with);
    });
  }
  for (T* p = whole; p != last; ++p) {
    if (is_hit(*p)) {
      *p = with;
    }
  }
}

/// Replaces in n elements whose iterators index.
template <class How, class It, class Predicate, class New>
inline void replace_indexed(
    const How& how, It first, std::size_t n, Predicate& is_hit, const New& with) {
  static constinit cost_record costs;
  using element_type = std::iter_value_t<It>;
  const loop_shape shape{n, element_bytes<It>, elements_per_line<element_type>};
  if constexpr (plain_output<It> && std::is_arithmetic_v<element_type> &&
                sizeof(element_type) <= sizeof(std::uint64_t) && stageable<element_type, New>) {
    element_type* const elements = std::to_address(first);
    const auto replacement = static_cast<element_type>(with);
    const auto is_hit_too = [hit_by = held<element_type&>(is_hit)](element_type& x) -> bool {
      return hit_by(x);
    };
    for_chunks(
        how, shape, costs, [elements, replacement, &is_hit_too](std::size_t from, std::size_t to) {
          replace_block(elements + from, elements + to, is_hit_too, replacement);
        });
  } else {
    for_chunks(how, shape, costs, [&](std::size_t from, std::size_t to) {
      std::replace_if(at(first, from), at(first, to), std::ref(is_hit), with);
    });
  }
}

template <class How, class It, class Predicate, class New>
inline void replace_walked(
    const How& how, const It& first, const It& last, Predicate&& is_hit, const New& with) {
  for_walk(how, detail::walk(first, last), [&](const It& it) {
    if (is_hit(*it)) {
      *it = with;
    }
  });
}

/// Asks whether an element equals `value`. The standard's forms without a policy that compare
/// themselves want it to be of one type with what replaces it.
template <class T>
auto is_equal_to(const T& value) {
  return [&value](auto&& x) -> bool { return x == value; };
}

struct replace_call {
  template <class How, class It, class Old, class New>
  static void run(const How& how, It first, It last, const Old& old, const New& with) {
    if constexpr (in_any_order<How> && indexable_output<It>) {
      const held_value<Old> wanted(old);
      const auto is_hit = [wanted](auto&& x) -> bool { return x == *wanted; };
      replace_indexed(how, first, count_of(first, last), is_hit, with);
    } else if constexpr (is_walked<How, It>) {
      replace_walked(how, first, last, is_equal_to(old), with);
    } else {
      std::replace_if(first, last, is_equal_to(old), with);
    }
  }
};

struct replace_if_call {
  template <class How, class It, class Predicate, class New>
  static void run(const How& how, It first, It last, Predicate&& is_hit, const New& with) {
    if constexpr (in_any_order<How> && indexable_output<It>) {
      replace_indexed(how, first, count_of(first, last), is_hit, with);
    } else if constexpr (is_walked<How, It>) {
      replace_walked(how, first, last, is_hit, with);
    } else {
      std::replace_if(first, last, std::ref(is_hit), with);
    }
  }
};

/// Element i, in a register if it is a number: a loop that reads it twice may not vectorise.
template <class It>
[[nodiscard]] constexpr auto loaded(const It& in, std::size_t i)
    -> std::conditional_t<std::is_arithmetic_v<std::iter_value_t<It>>,
                          std::iter_value_t<It>,
                          std::iter_reference_t<It>> {
  return element(in, i);
}

/// out[i] = is_hit(in[i]) ? with : in[i], where what is assigned need not have one type.
template <class How, class In, class Out, class Predicate, class New>
inline Out replace_copy_indexed(
    const How& how, std::pair<In, In> range, Out out, Predicate& is_hit, const New& with) {
  static constinit cost_record costs;
  const std::size_t n = count_of(range.first, range.second);
  const auto in = unwrapped(range.first);
  using element_type = std::iter_value_t<Out>;
  if constexpr (plain_output<Out> && stageable<element_type, New> &&
                stageable<element_type, std::iter_value_t<In>>) {
    const auto replacement = static_cast<element_type>(with);
    map_into(how,
             n,
             element_bytes<In>,
             costs,
             out,
             [in, replacement, hit_by = held<std::iter_reference_t<In>>(is_hit)](std::size_t i) {
               auto&& x = loaded(in, i);
               const bool hit = hit_by(x);
               return hit ? replacement : static_cast<element_type>(x);
             });
  } else {
    const loop_shape shape{
        n, element_bytes<In> + element_bytes<Out>, elements_per_line<element_type>};
    for_chunks(how, shape, costs, [&](std::size_t from, std::size_t to) {
      std::replace_copy_if(at(in, from), at(in, to), at(out, from), std::ref(is_hit), with);
    });
  }
  return at(out, n);
}

template <class How, class In, class Out, class Predicate, class New>
inline Out replace_copy_walked(const How& how,
                               walk<In, Out> all,
                               Predicate&& is_hit,
                               const New& with) {
  const auto copy_one = [&](const In& from, const Out& to) {
    if (is_hit(*from)) {
      *to = with;
    } else {
      *to = *from;
    }
  };
  return for_walk(how, std::move(all), copy_one).at().template get<1>();
}

struct replace_copy_call {
  template <class How, class In, class Out, class Old, class New>
  static Out run(const How& how, In first, In last, Out out, const Old& old, const New& with) {
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      const held_value<Old> wanted(old);
      const auto is_hit = [wanted](auto&& x) -> bool { return x == *wanted; };
      return replace_copy_indexed(how, std::pair(first, last), out, is_hit, with);
    } else if constexpr (is_walked<How, In, Out>) {
      return replace_copy_walked(how, detail::walk(first, last, out), is_equal_to(old), with);
    } else {
      return std::replace_copy_if(first, last, out, is_equal_to(old), with);
    }
  }
};

struct replace_copy_if_call {
  template <class How, class In, class Out, class Predicate, class New>
  static Out run(const How& how, In first, In last, Out out, Predicate&& is_hit, const New& with) {
    if constexpr (in_any_order<How> && indexable<In> && indexable_output<Out>) {
      return replace_copy_indexed(how, std::pair(first, last), out, is_hit, with);
    } else if constexpr (is_walked<How, In, Out>) {
      return replace_copy_walked(how, detail::walk(first, last, out), is_hit, with);
    } else {
      return std::replace_copy_if(first, last, out, std::ref(is_hit), with);
    }
  }
};

}  // namespace algorithms::detail

/// Assigns `with` to every element of [first, last) that equals `old`.
///
/// Shape:   neither value lies in the range.
/// Cost:    n comparisons; reads every element once and writes those cache lines alone that hold a
///          hit or lie near one; no memory.
/// Threads: any; see the policy. Forward iterators share the work, too, if that pays.
/// Errors:  the first exception is rethrown; which elements were replaced is then unspecified.
/// Example: tests/algorithms/transform_test.cpp: replaces_as_std_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::value_for<It> Old = std::iter_value_t<It>,
          algorithms::detail::assignable_for<It> New = Old>
auto replace(Policy&& policy, It first, It last, const Old& old, const New& with)
    -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::replace_call>(
      policy, first, last, old, with);
}

/// Assigns `with` to every element of [first, last) for which `is_hit` holds. See replace;
/// `is_hit` is called by several at once.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It> Predicate,
          algorithms::detail::assignable_for<It> New = std::iter_value_t<It>>
auto replace_if(Policy&& policy, It first, It last, Predicate is_hit, const New& with)
    -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::replace_if_call>(
      policy, first, last, std::move(is_hit), with);
}

/// Copies [first, last) to `out` with `with` in place of what equals `old`, and returns the end.
///
/// Shape:   the ranges do not overlap.
/// Cost:    n comparisons and assignments; reads and writes every element once; non-temporal stores
///          if the output exceeds the caches; no memory.
/// Threads: any; see the policy. Forward iterators share the work, too, if that pays.
/// Errors:  the first exception is rethrown; which elements were written is then unspecified.
/// Example: tests/algorithms/transform_test.cpp: replaces_as_std_does.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out,
          algorithms::detail::value_for<In> Old = std::iter_value_t<In>,
          algorithms::detail::assignable_for<Out> New = Old>
  requires algorithms::detail::takes_elements_of<Out, In>
auto replace_copy(Policy&& policy, In first, In last, Out out, const Old& old, const New& with)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::replace_copy_call>(
      policy, first, last, out, old, with);
}

/// Copies [first, last) to `out` with `with` in place of that for which `is_hit` holds, and returns
/// the end. See replace_copy; `is_hit` is called by several at once.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator In,
          std::forward_iterator Out,
          algorithms::detail::predicate_on<In> Predicate,
          algorithms::detail::assignable_for<Out> New = std::iter_value_t<Out>>
  requires algorithms::detail::takes_elements_of<Out, In>
auto replace_copy_if(Policy&& policy, In first, In last, Out out, Predicate is_hit, const New& with)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::replace_copy_if_call>(
      policy, first, last, out, std::move(is_hit), with);
}

}  // namespace weft
