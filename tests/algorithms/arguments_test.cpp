// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments as the standard's algorithms take them: iterators without C++20's tags, sums of a type
// of their own, and values in braces.
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/contains.hpp"
#include "weft/algorithms/copy.hpp"
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/find_last.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/find.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/remove.hpp"
#include "weft/algorithms/search.hpp"
#include "weft/algorithms/transform.hpp"
#include "weft/algorithms/transform_reduce.hpp"
#include "weft/algorithms/uninitialized.hpp"

namespace arguments_test {

constexpr std::size_t n = 3'000;

/// Sums, which cannot be made from numbers in passing.
struct sum {
  long value;
  explicit sum(long x) : value(x) {}
};
struct add {
  sum operator()(sum a, sum b) const { return sum(a.value + b.value); }
  sum operator()(sum a, int b) const { return sum(a.value + b); }
  sum operator()(int a, sum b) const { return sum(a + b.value); }
  sum operator()(int a, int b) const { return sum(long{a} + b); }
};

TEST(Arguments, a_sum_may_be_of_a_type_that_has_none_in_common_with_the_elements) {
  const std::vector<int> ones(n, 1);
  const auto itself = [](int x) { return x; };

  const sum reduced = weft::reduce(weft::par, ones.begin(), ones.end(), sum(1), add());
  const sum transformed =
      weft::transform_reduce(weft::par, ones.begin(), ones.end(), sum(1), add(), itself);

  EXPECT_EQ(reduced.value, n + 1);
  EXPECT_EQ(transformed.value, n + 1);
}

std::vector<std::unique_ptr<int>> pointers() {
  std::vector<std::unique_ptr<int>> all;
  all.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    all.push_back(std::make_unique<int>(static_cast<int>(i)));
  }
  return all;
}

void expect_all_in(const std::vector<std::unique_ptr<int>>& to) {
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(*to[i], static_cast<int>(i));
  }
}

TEST(Arguments, move_iterators_move) {
  std::vector<std::unique_ptr<int>> from = pointers();
  std::vector<std::unique_ptr<int>> to(n);
  const auto range = [](auto& all) {
    return std::pair(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()));
  };
  const auto [first, last] = range(from);
  const auto [to_first, to_last] = range(to);

  EXPECT_EQ(weft::copy(weft::par, first, last, to.begin()), to.end());
  expect_all_in(to);

  weft::transform(weft::par, to_first, to_last, from.begin(), [](std::unique_ptr<int> x) {
    ++*x;
    return x;
  });
  weft::for_each(weft::par, from.begin(), from.end(), [](auto& x) { --*x; });
  std::allocator<std::unique_ptr<int>> memory;
  std::unique_ptr<int>* const raw = memory.allocate(n);
  EXPECT_EQ(weft::uninitialized_copy(weft::par, first, last, raw), raw + n);
  weft::uninitialized_copy(
      weft::par, std::make_move_iterator(raw), std::make_move_iterator(raw + n), to.begin());
  std::destroy_n(raw, n);
  memory.deallocate(raw, n);
  expect_all_in(to);
}

/// Squares, which are made when they are asked for: an input iterator to C++20, though it indexes.
class square_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = long;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = long;

  square_iterator() = default;
  explicit square_iterator(long at) : at_(at) {}

  long operator*() const { return at_ * at_; }
  long operator[](std::ptrdiff_t i) const { return *(*this + i); }
  square_iterator& operator+=(std::ptrdiff_t i) {
    at_ += i;
    return *this;
  }
  square_iterator& operator++() { return *this += 1; }
  square_iterator operator++(int) {
    const square_iterator before = *this;
    ++*this;
    return before;
  }
  friend square_iterator operator+(square_iterator it, std::ptrdiff_t i) { return it += i; }
  friend std::ptrdiff_t operator-(square_iterator a, square_iterator b) { return a.at_ - b.at_; }
  auto operator<=>(const square_iterator&) const = default;

 private:
  long at_ = 0;
};

TEST(Arguments, iterators_that_compute_elements_are_read) {
  static_assert(!std::forward_iterator<square_iterator>);
  const square_iterator first(0);
  const square_iterator last(n);
  std::vector<long> squares(n);

  EXPECT_EQ(weft::copy(weft::par, first, last, squares.begin()), squares.end());
  EXPECT_EQ(squares[100], 10'000);
  EXPECT_EQ(weft::find(weft::par, first, last, 10'000L) - first, 100);
  EXPECT_EQ(weft::count(weft::par, first, last, 10'000L), 1);
  EXPECT_EQ(weft::reduce(weft::par, first, last),
            weft::reduce(weft::par, squares.begin(), squares.end()));
}

/// Two numbers.
using point = std::pair<int, int>;

TEST(Arguments, values_may_be_braces) {
  std::vector<point> all(n, point(1, 2));
  const auto first = all.begin();
  const auto last = all.end();
  std::vector<point> out(n);

  EXPECT_EQ(weft::find(weft::par, first, last, {1, 2}), first);
  EXPECT_EQ(weft::find_last(weft::par, first, last, {1, 2}), last - 1);
  EXPECT_EQ(weft::count(weft::par, first, last, {1, 2}), n);
  EXPECT_TRUE(weft::contains(weft::par, first, last, {1, 2}));
  EXPECT_EQ(weft::search_n(weft::par, first, last, 3, {1, 2}), first);
  EXPECT_EQ(weft::remove_copy(weft::par, first, last, out.begin(), {1, 3}), out.end());
  EXPECT_EQ(weft::ranges::find(weft::par, all, {1, 2}), first);
  EXPECT_EQ(weft::remove(weft::par, first, last, {1, 2}), first);
}

}  // namespace arguments_test
