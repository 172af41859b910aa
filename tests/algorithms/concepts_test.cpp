// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What algorithms reject when they are compiled: types that cannot work, and results that would
// refer to what is gone.
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/contains.hpp"  // IWYU pragma: keep
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/algorithms/find.hpp"       // IWYU pragma: keep
#include "weft/algorithms/find_last.hpp"  // IWYU pragma: keep
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/copy.hpp"
#include "weft/algorithms/ranges/find.hpp"
#include "weft/algorithms/ranges/merge.hpp"
#include "weft/algorithms/ranges/numeric.hpp"
#include "weft/algorithms/ranges/rearrange.hpp"
#include "weft/algorithms/ranges/sort.hpp"
#include "weft/algorithms/ranges/transform.hpp"
#include "weft/algorithms/remove.hpp"
#include "weft/algorithms/reverse.hpp"
#include "weft/algorithms/rotate.hpp"
#include "weft/algorithms/shift.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/tasks/runtime.hpp"

namespace concepts_test {

using input = std::istream_iterator<int>;
using later = decltype(weft::par(weft::as_future));
using numbers = std::vector<int>;
using pointers = std::vector<std::unique_ptr<int>>;

struct predicate {
  bool operator()(int x) const;
};
using takes_string = bool (*)(const std::string&);

template <class Policy, class It>
concept loops = requires(Policy policy, It it) { weft::for_each(policy, it, it, [](auto&&) {}); };
template <class Policy, class It>
concept sorts_iterators = requires(Policy policy, It it) { weft::sort(policy, it, it); };

template <class Policy, class Range>
concept finds =
    requires(Policy policy, Range&& r) { weft::ranges::find(policy, std::forward<Range>(r), 1); };
template <class Range, class Pred>
concept finds_if = requires(Range&& r, Pred pred) { weft::ranges::find_if(weft::par, r, pred); };
template <class Range, class Comp = std::ranges::less>
concept sorts = requires(Range&& r, Comp comp) { weft::ranges::sort(weft::par, r, comp); };
template <class Range>
concept removes = requires(Range&& r) { weft::ranges::remove_if(weft::par, r, predicate()); };
template <class Range, class Output>
concept copies = requires(Range&& r, Output&& output) { weft::ranges::copy(weft::par, r, output); };
template <class Range, class Output, class F>
concept transforms =
    requires(Range&& r, Output&& output, F f) { weft::ranges::transform(weft::par, r, output, f); };
template <class A, class Output>
concept merges = requires(A&& a, Output&& output) { weft::ranges::merge(weft::par, a, a, output); };
template <class Range, class Op>
concept reduces = requires(Range&& r, Op op) { weft::ranges::reduce(weft::par, r, 0, op); };

template <class P>
concept taken_by_with = requires(P p) { weft::par.with(p); };
template <class E>
concept taken_by_on = requires(E e) { weft::par.on(e); };

struct no_executor {
  void execute(int) const;
};

TEST(Concepts, policies_executors_and_properties_are_what_they_say) {
  static_assert(loops<decltype(weft::par), int*>);
  static_assert(!loops<int, int*>);
  static_assert(!loops<std::plus<>, int*>);
  static_assert(taken_by_with<weft::num_cores>);
  static_assert(!taken_by_with<int>);
  static_assert(taken_by_on<weft::runtime&>);
  static_assert(!taken_by_on<no_executor>);
}

TEST(Concepts, elements_must_be_there_to_be_read_again) {
  static_assert(loops<decltype(weft::par), std::forward_list<int>::iterator>);
  static_assert(!loops<decltype(weft::par), input>);
  static_assert(!finds<decltype(weft::par), std::ranges::istream_view<int>&>);
  static_assert(!copies<numbers&, std::back_insert_iterator<numbers>>);
  static_assert(copies<numbers&, numbers::iterator>);
}

TEST(Concepts, sorting_needs_random_access_and_an_order) {
  static_assert(sorts<numbers&>);
  static_assert(sorts<pointers&>);
  static_assert(sorts_iterators<decltype(weft::par), int*>);
  static_assert(!sorts_iterators<decltype(weft::par), std::list<int>::iterator>);
  static_assert(!sorts<std::list<int>&>);
  static_assert(!sorts<const numbers&>);
  static_assert(!sorts<numbers&, takes_string>);
}

TEST(Concepts, callables_must_fit_the_elements) {
  static_assert(finds_if<numbers&, predicate>);
  static_assert(!finds_if<std::vector<std::string>&, predicate>);
  static_assert(!transforms<numbers&, pointers&, std::negate<>>);
  static_assert(reduces<numbers&, std::plus<>>);
  static_assert(!reduces<numbers&, takes_string>);
}

/// Trivially copyable, as its only move constructor is trivial.
struct move_only_increment {
  explicit move_only_increment(int x) : by(x) {}
  move_only_increment(const move_only_increment&) = delete;
  move_only_increment(move_only_increment&&) = default;
  void operator()(int& x) const { x += by; }
  int by;
};

TEST(Concepts, callables_need_not_be_copied) {
  static_assert(std::is_trivially_copyable_v<move_only_increment>);
  numbers values(100, 1);
  weft::for_each(weft::par, values.begin(), values.end(), move_only_increment(2));
  weft::for_each_n(weft::par, values.begin(), 99, move_only_increment(3));
  EXPECT_EQ(values.front(), 6);
  EXPECT_EQ(values.back(), 3);
}

TEST(Concepts, what_is_written_must_be_writable) {
  static_assert(copies<numbers&, numbers&>);
  static_assert(!copies<numbers&, const numbers&>);
  static_assert(!copies<pointers&, pointers&>);
  static_assert(removes<numbers&>);
  static_assert(!removes<const numbers&>);
  static_assert(merges<numbers&, numbers&>);
  static_assert(!merges<numbers&, pointers&>);
}

TEST(Concepts, what_runs_later_takes_no_temporary_containers) {
  static_assert(finds<decltype(weft::par), numbers>);
  static_assert(finds<later, numbers&>);
  static_assert(finds<later, std::ranges::subrange<int*>>);
  static_assert(!finds<later, numbers>);
}

/// What equals a number, and has no more in common with it.
struct keyed {
  int key;
  friend bool operator==(const keyed& x, int number) { return x.key == number; }
};

TEST(Concepts, take_values_that_elements_can_be_compared_with) {
  const auto accept = [](const auto& value) {
    return requires(keyed* at) {
      find(weft::par, at, at, value);
      find_last(weft::par, at, at, value);
      count(weft::par, at, at, value);
      contains(weft::par, at, at, value);
      remove(weft::par, at, at, value);
      remove_copy(weft::par, at, at, at, value);
    };
  };
  const auto accept_one = [](const auto& value) {
    return requires(keyed* at) { find(weft::par, at, at, value); } ||
           requires(keyed* at) { find_last(weft::par, at, at, value); } ||
           requires(keyed* at) { count(weft::par, at, at, value); } ||
           requires(keyed* at) { contains(weft::par, at, at, value); } ||
           requires(keyed* at) { remove(weft::par, at, at, value); } ||
           requires(keyed* at) { remove_copy(weft::par, at, at, at, value); };
  };
  EXPECT_TRUE(accept(3));
  EXPECT_FALSE(accept_one(std::string()));

  std::vector<keyed> all{{1}, {2}, {1}};
  EXPECT_EQ(weft::count(weft::par, all.begin(), all.end(), 1), 2);
  EXPECT_EQ(weft::remove(weft::par, all.begin(), all.end(), 1), all.begin() + 1);
  EXPECT_EQ(all.front().key, 2);
}

TEST(Concepts, take_bits_wherever_the_standard_does) {
  std::vector<bool> bits(100);
  bits[3] = true;
  weft::reverse(weft::par, bits.begin(), bits.end());
  EXPECT_TRUE(bits[96]);
  weft::rotate(weft::par, bits.begin(), bits.begin() + 90, bits.end());
  EXPECT_TRUE(bits[6]);
  EXPECT_EQ(weft::shift_left(weft::par, bits.begin(), bits.end(), 5), bits.end() - 5);
  EXPECT_TRUE(bits[1]);
  EXPECT_EQ(weft::shift_right(weft::par, bits.begin(), bits.end(), 8), bits.begin() + 8);
  EXPECT_TRUE(bits[9]);
}

}  // namespace concepts_test
