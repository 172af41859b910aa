// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All names that take an execution policy in C++20: found by the policy, with the standard's
// results, and with nothing but iterators and callables that fit.
#include <concepts>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms.hpp"
#include "weft/tasks/future.hpp"

namespace names_test {

template <class Policy, class Result>
using given = weft::algorithm_result_t<Policy, Result>;

/// Fits wherever numbers are handed to something.
struct fits {
  int operator()() const;
  int operator()(int x) const;
  int operator()(int x, int y) const;
};
/// Fits nowhere.
struct misfits {
  void operator()(std::string& x, std::string& y, std::string& z) const;
};

// NOLINTBEGIN(cppcoreguidelines-macro-usage): calls that are looked at, and never done
/// A call that may be asked about, with a policy `how` and iterators `at` of type It; of the
/// standard's name, without a namespace.
#define WEFT_CALL(result, ...)                                       \
  []<class It>(auto how, It at)                                      \
    requires requires {                                              \
      { __VA_ARGS__ } -> std::same_as<given<decltype(how), result>>; \
    }                                                                \
  {}
/// The same with a callable `f`.
#define WEFT_CALL_WITH(result, ...)                                  \
  []<class It>(auto how, It at, auto f)                              \
    requires requires {                                              \
      { __VA_ARGS__ } -> std::same_as<given<decltype(how), result>>; \
    }                                                                \
  {}
// NOLINTEND(cppcoreguidelines-macro-usage)

template <class It>
using two = std::pair<It, It>;

constexpr std::tuple forward_calls{
    WEFT_CALL(It, adjacent_difference(how, at, at, at)),
    WEFT_CALL(It, adjacent_find(how, at, at)),
    WEFT_CALL(It, copy(how, at, at, at)),
    WEFT_CALL(It, copy_n(how, at, 3, at)),
    WEFT_CALL(std::iter_difference_t<It>, count(how, at, at, 3)),
    WEFT_CALL(void, destroy(how, at, at)),
    WEFT_CALL(It, destroy_n(how, at, 3)),
    WEFT_CALL(bool, equal(how, at, at, at)),
    WEFT_CALL(bool, equal(how, at, at, at, at)),
    WEFT_CALL(It, exclusive_scan(how, at, at, at, 3)),
    WEFT_CALL(void, fill(how, at, at, 3)),
    WEFT_CALL(It, fill_n(how, at, 3, 3)),
    WEFT_CALL(It, find(how, at, at, 3)),
    WEFT_CALL(It, find_end(how, at, at, at, at)),
    WEFT_CALL(It, find_first_of(how, at, at, at, at)),
    WEFT_CALL(bool, includes(how, at, at, at, at)),
    WEFT_CALL(It, inclusive_scan(how, at, at, at)),
    WEFT_CALL(bool, is_sorted(how, at, at)),
    WEFT_CALL(It, is_sorted_until(how, at, at)),
    WEFT_CALL(bool, lexicographical_compare(how, at, at, at, at)),
    WEFT_CALL(It, max_element(how, at, at)),
    WEFT_CALL(It, merge(how, at, at, at, at, at)),
    WEFT_CALL(It, min_element(how, at, at)),
    WEFT_CALL(two<It>, minmax_element(how, at, at)),
    WEFT_CALL(two<It>, mismatch(how, at, at, at)),
    WEFT_CALL(two<It>, mismatch(how, at, at, at, at)),
    WEFT_CALL(It, move(how, at, at, at)),
    WEFT_CALL(int, reduce(how, at, at)),
    WEFT_CALL(long, reduce(how, at, at, 3L)),
    WEFT_CALL(It, remove(how, at, at, 3)),
    WEFT_CALL(It, remove_copy(how, at, at, at, 3)),
    WEFT_CALL(void, replace(how, at, at, 3, 4)),
    WEFT_CALL(It, replace_copy(how, at, at, at, 3, 4)),
    WEFT_CALL(It, rotate(how, at, at, at)),
    WEFT_CALL(It, rotate_copy(how, at, at, at, at)),
    WEFT_CALL(It, search(how, at, at, at, at)),
    WEFT_CALL(It, search_n(how, at, at, 3, 3)),
    WEFT_CALL(It, set_difference(how, at, at, at, at, at)),
    WEFT_CALL(It, set_intersection(how, at, at, at, at, at)),
    WEFT_CALL(It, set_symmetric_difference(how, at, at, at, at, at)),
    WEFT_CALL(It, set_union(how, at, at, at, at, at)),
    WEFT_CALL(It, shift_left(how, at, at, 3)),
    WEFT_CALL(It, shift_right(how, at, at, 3)),
    WEFT_CALL(It, swap_ranges(how, at, at, at)),
    WEFT_CALL(long, transform_reduce(how, at, at, at, 3L)),
    WEFT_CALL(It, uninitialized_copy(how, at, at, at)),
    WEFT_CALL(It, uninitialized_copy_n(how, at, 3, at)),
    WEFT_CALL(void, uninitialized_default_construct(how, at, at)),
    WEFT_CALL(It, uninitialized_default_construct_n(how, at, 3)),
    WEFT_CALL(void, uninitialized_fill(how, at, at, 3)),
    WEFT_CALL(It, uninitialized_fill_n(how, at, 3, 3)),
    WEFT_CALL(It, uninitialized_move(how, at, at, at)),
    WEFT_CALL(two<It>, uninitialized_move_n(how, at, 3, at)),
    WEFT_CALL(void, uninitialized_value_construct(how, at, at)),
    WEFT_CALL(It, uninitialized_value_construct_n(how, at, 3)),
    WEFT_CALL(It, unique(how, at, at)),
    WEFT_CALL(It, unique_copy(how, at, at, at)),
};

constexpr std::tuple forward_calls_with{
    WEFT_CALL_WITH(It, adjacent_difference(how, at, at, at, f)),
    WEFT_CALL_WITH(It, adjacent_find(how, at, at, f)),
    WEFT_CALL_WITH(bool, all_of(how, at, at, f)),
    WEFT_CALL_WITH(bool, any_of(how, at, at, f)),
    WEFT_CALL_WITH(It, copy_if(how, at, at, at, f)),
    WEFT_CALL_WITH(std::iter_difference_t<It>, count_if(how, at, at, f)),
    WEFT_CALL_WITH(bool, equal(how, at, at, at, f)),
    WEFT_CALL_WITH(bool, equal(how, at, at, at, at, f)),
    WEFT_CALL_WITH(It, exclusive_scan(how, at, at, at, 3, f)),
    WEFT_CALL_WITH(It, find_end(how, at, at, at, at, f)),
    WEFT_CALL_WITH(It, find_first_of(how, at, at, at, at, f)),
    WEFT_CALL_WITH(It, find_if(how, at, at, f)),
    WEFT_CALL_WITH(It, find_if_not(how, at, at, f)),
    WEFT_CALL_WITH(void, for_each(how, at, at, f)),
    WEFT_CALL_WITH(It, for_each_n(how, at, 3, f)),
    WEFT_CALL_WITH(void, generate(how, at, at, f)),
    WEFT_CALL_WITH(It, generate_n(how, at, 3, f)),
    WEFT_CALL_WITH(bool, includes(how, at, at, at, at, f)),
    WEFT_CALL_WITH(It, inclusive_scan(how, at, at, at, f)),
    WEFT_CALL_WITH(It, inclusive_scan(how, at, at, at, f, 3)),
    WEFT_CALL_WITH(bool, is_partitioned(how, at, at, f)),
    WEFT_CALL_WITH(bool, is_sorted(how, at, at, f)),
    WEFT_CALL_WITH(It, is_sorted_until(how, at, at, f)),
    WEFT_CALL_WITH(bool, lexicographical_compare(how, at, at, at, at, f)),
    WEFT_CALL_WITH(It, max_element(how, at, at, f)),
    WEFT_CALL_WITH(It, merge(how, at, at, at, at, at, f)),
    WEFT_CALL_WITH(It, min_element(how, at, at, f)),
    WEFT_CALL_WITH(two<It>, minmax_element(how, at, at, f)),
    WEFT_CALL_WITH(two<It>, mismatch(how, at, at, at, f)),
    WEFT_CALL_WITH(two<It>, mismatch(how, at, at, at, at, f)),
    WEFT_CALL_WITH(bool, none_of(how, at, at, f)),
    WEFT_CALL_WITH(It, partition(how, at, at, f)),
    WEFT_CALL_WITH(two<It>, partition_copy(how, at, at, at, at, f)),
    WEFT_CALL_WITH(long, reduce(how, at, at, 3L, f)),
    WEFT_CALL_WITH(It, remove_copy_if(how, at, at, at, f)),
    WEFT_CALL_WITH(It, remove_if(how, at, at, f)),
    WEFT_CALL_WITH(It, replace_copy_if(how, at, at, at, f, 3)),
    WEFT_CALL_WITH(void, replace_if(how, at, at, f, 3)),
    WEFT_CALL_WITH(It, search(how, at, at, at, at, f)),
    WEFT_CALL_WITH(It, search_n(how, at, at, 3, 3, f)),
    WEFT_CALL_WITH(It, set_difference(how, at, at, at, at, at, f)),
    WEFT_CALL_WITH(It, set_intersection(how, at, at, at, at, at, f)),
    WEFT_CALL_WITH(It, set_symmetric_difference(how, at, at, at, at, at, f)),
    WEFT_CALL_WITH(It, set_union(how, at, at, at, at, at, f)),
    WEFT_CALL_WITH(It, transform(how, at, at, at, f)),
    WEFT_CALL_WITH(It, transform(how, at, at, at, at, f)),
    WEFT_CALL_WITH(It, transform_exclusive_scan(how, at, at, at, 3, f, f)),
    WEFT_CALL_WITH(It, transform_inclusive_scan(how, at, at, at, f, f)),
    WEFT_CALL_WITH(It, transform_inclusive_scan(how, at, at, at, f, f, 3)),
    WEFT_CALL_WITH(long, transform_reduce(how, at, at, 3L, f, f)),
    WEFT_CALL_WITH(long, transform_reduce(how, at, at, at, 3L, f, f)),
    WEFT_CALL_WITH(It, unique(how, at, at, f)),
    WEFT_CALL_WITH(It, unique_copy(how, at, at, at, f)),
};

constexpr std::tuple bidirectional_calls{
    WEFT_CALL(void, inplace_merge(how, at, at, at)),
    WEFT_CALL(void, reverse(how, at, at)),
    WEFT_CALL(It, reverse_copy(how, at, at, at)),
};
constexpr std::tuple bidirectional_calls_with{
    WEFT_CALL_WITH(void, inplace_merge(how, at, at, at, f)),
    WEFT_CALL_WITH(It, stable_partition(how, at, at, f)),
};

constexpr std::tuple random_access_calls{
    WEFT_CALL(bool, is_heap(how, at, at)),
    WEFT_CALL(It, is_heap_until(how, at, at)),
    WEFT_CALL(void, nth_element(how, at, at, at)),
    WEFT_CALL(void, partial_sort(how, at, at, at)),
    WEFT_CALL(It, partial_sort_copy(how, at, at, at, at)),
    WEFT_CALL(void, sort(how, at, at)),
    WEFT_CALL(void, stable_sort(how, at, at)),
};
constexpr std::tuple random_access_calls_with{
    WEFT_CALL_WITH(bool, is_heap(how, at, at, f)),
    WEFT_CALL_WITH(It, is_heap_until(how, at, at, f)),
    WEFT_CALL_WITH(void, nth_element(how, at, at, at, f)),
    WEFT_CALL_WITH(void, partial_sort(how, at, at, at, f)),
    WEFT_CALL_WITH(It, partial_sort_copy(how, at, at, at, at, f)),
    WEFT_CALL_WITH(void, sort(how, at, at, f)),
    WEFT_CALL_WITH(void, stable_sort(how, at, at, f)),
};

/// How many of the calls there are with these arguments.
template <class... Arguments, class... Calls>
consteval std::size_t num_accepted(const std::tuple<Calls...>& /*calls*/) {
  return (std::size_t{0} + ... + (std::is_invocable_v<Calls, Arguments...> ? 1U : 0U));
}
template <class... Calls>
consteval std::size_t num_of(const std::tuple<Calls...>& /*calls*/) {
  return sizeof...(Calls);
}

/// Whether all of the calls are there.
template <class Policy, class It>
consteval bool finds(const auto& calls, const auto& calls_with) {
  return num_accepted<Policy, It>(calls) == num_of(calls) &&
         num_accepted<Policy, It, fits>(calls_with) == num_of(calls_with);
}
template <class Policy, class It>
consteval bool finds_all() {
  return finds<Policy, It>(forward_calls, forward_calls_with) &&
         finds<Policy, It>(bidirectional_calls, bidirectional_calls_with) &&
         finds<Policy, It>(random_access_calls, random_access_calls_with);
}

using par = weft::parallel_policy;
using later = decltype(weft::par(weft::as_future));
using numbers = std::vector<int>;

TEST(Names, are_found_by_every_policy_with_the_standards_results) {
  static_assert(finds_all<par, int*>());
  static_assert(finds_all<par, numbers::iterator>());
  static_assert(finds_all<par, std::deque<int>::iterator>());
  static_assert(finds_all<weft::sequenced_policy, numbers::iterator>());
  static_assert(finds_all<weft::unsequenced_policy, numbers::iterator>());
  static_assert(finds_all<weft::parallel_unsequenced_policy, numbers::iterator>());
  static_assert(finds_all<weft::simd_policy, numbers::iterator>());
  static_assert(finds_all<weft::parallel_simd_policy, numbers::iterator>());
  static_assert(
      finds_all<decltype(weft::par.with(weft::num_cores{2}, weft::deterministic)), int*>());
}

TEST(Names, give_futures_of_the_same_results) {
  static_assert(std::is_same_v<given<later, int>, weft::future<int>>);
  static_assert(finds_all<later, numbers::iterator>());
}

TEST(Names, take_iterators_that_can_be_walked_as_the_standard_does) {
  using forward = std::forward_list<int>::iterator;
  using bidirectional = std::list<int>::iterator;
  static_assert(finds<par, forward>(forward_calls, forward_calls_with));
  static_assert(finds<par, bidirectional>(forward_calls, forward_calls_with));
  static_assert(finds<par, bidirectional>(bidirectional_calls, bidirectional_calls_with));
  static_assert(num_accepted<par, forward>(bidirectional_calls) == 0);
  static_assert(num_accepted<par, forward, fits>(bidirectional_calls_with) == 0);
  static_assert(num_accepted<par, bidirectional>(random_access_calls) == 0);
  static_assert(num_accepted<par, bidirectional, fits>(random_access_calls_with) == 0);
}

TEST(Names, take_elements_that_may_be_read_again_alone) {
  using input = std::istream_iterator<int>;
  static_assert(num_accepted<par, input>(forward_calls) == 0);
  static_assert(num_accepted<par, input, fits>(forward_calls_with) == 0);
  static_assert(num_accepted<par, input>(bidirectional_calls) == 0);
  static_assert(num_accepted<par, input>(random_access_calls) == 0);
}

TEST(Names, take_nothing_but_policies) {
  static_assert(num_accepted<int, int*>(forward_calls) == 0);
  static_assert(num_accepted<int, int*, fits>(forward_calls_with) == 0);
  static_assert(num_accepted<int, int*>(random_access_calls) == 0);
}

TEST(Names, take_callables_that_fit_alone) {
  static_assert(num_accepted<par, int*, misfits>(forward_calls_with) == 0);
  static_assert(num_accepted<par, int*, misfits>(bidirectional_calls_with) == 0);
  static_assert(num_accepted<par, int*, misfits>(random_access_calls_with) == 0);
}

/// How many of all calls with a callable there are with an `F`.
template <class It, class F>
consteval std::size_t num_accepted_of_all() {
  return num_accepted<par, It, F>(forward_calls_with) +
         num_accepted<par, It, F>(bidirectional_calls_with) +
         num_accepted<par, It, F>(random_access_calls_with);
}

/// Takes numbers and gives nothing.
struct silent {
  void operator()(int x) const;
  void operator()(int x, int y) const;
};
/// Gives what converts to an answer or to a number where that is asked for.
struct explicit_result {
  explicit operator bool() const;
  explicit operator int() const;
};
struct explicitly {
  explicit_result operator()(int x) const;
  explicit_result operator()(int x, int y) const;
};

constexpr std::tuple joining_calls{
    WEFT_CALL_WITH(int, reduce(how, at, at, 3, f)),
    WEFT_CALL_WITH(int, reduce_deterministic(how, at, at, 3, f)),
    WEFT_CALL_WITH(int, fold_left(how, at, at, 3, f)),
    WEFT_CALL_WITH(int, transform_reduce(how, at, at, 3, f, fits())),
    WEFT_CALL_WITH(int, transform_reduce(how, at, at, at, 3, f, fits())),
    WEFT_CALL_WITH(two<It>, reduce_by_key(how, at, at, at, at, at, fits(), f)),
};

TEST(Names, take_operations_whose_results_fit_alone) {
  using texts = std::string (*)(int, int);
  static_assert(num_accepted<par, int*, fits>(joining_calls) == num_of(joining_calls));
  static_assert(num_accepted<par, int*, explicitly>(joining_calls) == num_of(joining_calls));
  static_assert(num_accepted<par, int*, silent>(joining_calls) == 0);
  static_assert(num_accepted<par, int*, misfits>(joining_calls) == 0);
  static_assert(num_accepted<par, int*, texts>(joining_calls) == 0);
}

/// Has members of which those that give yes or no fit wherever others of their kind do.
struct machine {
  bool is_on = false;
  [[nodiscard]] bool is_ready() const { return is_on; }
  [[nodiscard]] bool is_before(const machine& other) const { return !is_on && other.is_on; }
  [[nodiscard]] machine joined(const machine& other) const { return machine{is_on || other.is_on}; }
  machine& operator=(bool turned_on) {
    is_on = turned_on;
    return *this;
  }
};

template <class F>
consteval std::size_t num_accepted_for_machines() {
  return num_accepted_of_all<machine*, F>();
}

TEST(Names, take_what_is_called_as_a_function_alone) {
  static_assert(num_accepted_for_machines<decltype(&machine::is_on)>() == 0);
  static_assert(num_accepted_for_machines<decltype(&machine::is_ready)>() == 0);
  static_assert(num_accepted_for_machines<decltype(&machine::joined)>() == 0);
  static_assert(num_accepted_for_machines<decltype(&machine::is_before)>() == 0);
  using named = decltype(std::mem_fn(&machine::is_on));
  using asked = decltype(std::mem_fn(&machine::is_ready));
  using joined = decltype(std::mem_fn(&machine::joined));
  using ordered = decltype(std::mem_fn(&machine::is_before));
  static_assert(num_accepted_for_machines<named>() == 18);
  static_assert(num_accepted_for_machines<asked>() == 18);
  static_assert(num_accepted_for_machines<joined>() == 3);
  static_assert(num_accepted_for_machines<ordered>() == 32);
}

TEST(Names, sum_what_a_function_alone_makes) {
  const auto reduces_by = [](auto f) {
    return requires(machine* at) { transform_reduce(weft::par, at, at, 3, fits(), f); };
  };
  const auto scans_by = [](auto f) {
    return requires(machine* at, int* to) {
      transform_inclusive_scan(weft::par, at, at, to, fits(), f);
      transform_inclusive_scan(weft::par, at, at, to, fits(), f, 3);
      transform_exclusive_scan(weft::par, at, at, to, 3, fits(), f);
    };
  };
  EXPECT_FALSE(reduces_by(&machine::is_on));
  EXPECT_TRUE(reduces_by(std::mem_fn(&machine::is_on)));
  EXPECT_FALSE(scans_by(&machine::is_on));
  EXPECT_TRUE(scans_by(std::mem_fn(&machine::is_on)));
}

TEST(Names, take_predicates_whose_answers_convert_alone) {
  constexpr std::size_t num_of_predicates_of_one = 15;
  constexpr std::size_t num_of_predicates_of_two = 31;
  constexpr std::size_t num_that_call_alone = 2;
  constexpr std::size_t num = num_of_predicates_of_one + num_of_predicates_of_two;
  static_assert(num_accepted_of_all<int*, explicitly>() == num + num_that_call_alone);
  static_assert(num_accepted_of_all<int*, silent>() == num_that_call_alone);
}

/// Can be copied, and nothing else.
struct bare {};

TEST(Names, take_elements_that_cannot_be_compared_or_added_where_they_need_not_be_alone) {
  constexpr std::size_t num_that_copy_move_or_make = 18;
  constexpr std::size_t num_that_reverse = 2;
  static_assert(num_accepted<par, bare*>(forward_calls) == num_that_copy_move_or_make);
  static_assert(num_accepted<par, bare*>(bidirectional_calls) == num_that_reverse);
  static_assert(num_accepted<par, bare*>(random_access_calls) == 0);
}

}  // namespace names_test
