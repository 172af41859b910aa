// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about generators.
#include "weft/tasks/generator.hpp"

#include <concepts>
#include <memory>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tasks/coroutine_helpers.hpp"

namespace generator_test {

using testing::ElementsAre;
using weft::elements_of;
using weft::generator;

template <class Range>
auto listed(Range&& range) {
  std::vector<std::ranges::range_value_t<Range>> all;
  for (auto&& each : range) {
    all.push_back(std::forward<decltype(each)>(each));
  }
  return all;
}

generator<int> numbers(int first, int last, int* num_made = nullptr) {
  for (; first < last; ++first) {
    if (num_made != nullptr) {
      ++*num_made;
    }
    co_yield first;
  }
}

static_assert(std::ranges::input_range<generator<int>>);
static_assert(std::ranges::view<generator<int>>);
static_assert(std::same_as<std::ranges::range_reference_t<generator<int>>, int&&>);
static_assert(std::same_as<std::ranges::range_reference_t<generator<const int&>>, const int&>);
static_assert(std::same_as<std::ranges::range_value_t<generator<std::string_view, std::string>>,
                           std::string>);

TEST(Generator, yields_one_element_per_step) {
  int num_made = 0;
  auto all = numbers(0, 1'000'000'000, &num_made);
  EXPECT_EQ(num_made, 0);

  auto it = all.begin();
  EXPECT_EQ(*it, 0);
  ++it;
  EXPECT_EQ(*it, 1);

  EXPECT_EQ(num_made, 2);
}

TEST(Generator, is_a_view) {
  auto even =
      numbers(0, 100) | std::views::filter([](int i) { return i % 2 == 0; }) | std::views::take(3);

  EXPECT_THAT(listed(even), ElementsAre(0, 2, 4));
  EXPECT_THAT(listed(numbers(3, 3)), ElementsAre());
}

generator<const std::string&> lines(std::vector<std::string> text) {
  for (const std::string& line : text) {
    co_yield line;
  }
  co_yield "end";
}

TEST(Generator, gives_references_to_what_the_coroutine_holds) {
  EXPECT_THAT(listed(lines({"a", "b"})), ElementsAre("a", "b", "end"));
}

generator<std::string> copies_of(const std::string& word) {
  co_yield word;  // `word` stays as it is whatever becomes of the element
  co_yield word + "!";
  co_yield word;
}

TEST(Generator, a_constant_is_copied_where_elements_may_be_moved_from) {
  const std::string word(100, 'x');

  EXPECT_THAT(listed(copies_of(word)), ElementsAre(word, word + "!", word));
}

generator<std::unique_ptr<int>> owners() {
  co_yield std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  co_yield std::move(second);
}

TEST(Generator, elements_may_be_moved_out) {
  int sum = 0;
  for (std::unique_ptr<int>&& each : owners()) {
    const std::unique_ptr<int> mine = std::move(each);
    sum += *mine;
  }

  EXPECT_EQ(sum, 3);
}

generator<int> tree(int depth) {
  if (depth > 0) {
    co_yield elements_of(tree(depth - 1));
    co_yield depth;
    co_yield elements_of(tree(depth - 1));
  }
}

TEST(Generator, passes_the_elements_of_others_on) {
  EXPECT_THAT(listed(tree(3)), ElementsAre(1, 2, 1, 3, 1, 2, 1));
}

generator<const int&> with_ranges(std::vector<int> middle) {
  co_yield elements_of(std::views::iota(0, 2));
  co_yield elements_of(middle);
  co_yield 9;
}

TEST(Generator, passes_the_elements_of_ranges_on) {
  EXPECT_THAT(listed(with_ranges({5, 6})), ElementsAre(0, 1, 5, 6, 9));
}

generator<long> countdown(long n) {
  co_yield n;
  if (n > 0) {
    co_yield elements_of(countdown(n - 1));
  }
}

TEST(Generator, the_stack_does_not_grow_with_the_depth) {
  const long depth = weft::test::large_count / 10;
  long expected = depth;
  for (const long each : countdown(depth)) {
    ASSERT_EQ(each, expected--);
  }

  EXPECT_EQ(expected, -1);
}

generator<int> fails_at(int position) {
  for (int i = 0;; ++i) {
    if (i == position) {
      throw std::runtime_error("at " + std::to_string(i));
    }
    co_yield i;
  }
}

generator<int> catches() {
  auto inner = fails_at(2);
  bool was_caught = false;
  try {
    co_yield elements_of(std::move(inner));
  } catch (const std::runtime_error&) {
    was_caught = true;
  }
  co_yield was_caught ? 100 : 0;
  co_yield elements_of(fails_at(1));
}

TEST(Generator, exceptions_come_out_of_the_iterator_or_the_outer_one) {
  EXPECT_THROW(listed(fails_at(0)), std::runtime_error);
  EXPECT_THROW(listed(fails_at(3)), std::runtime_error);
  std::vector<int> seen;
  try {
    for (const int each : catches()) {
      seen.push_back(each);
    }
    ADD_FAILURE() << "nothing came out";
  } catch (const std::runtime_error& raised) {
    EXPECT_STREQ(raised.what(), "at 1");
  }

  EXPECT_THAT(seen, ElementsAre(0, 1, 100, 0));
}

generator<int> holds(std::shared_ptr<int> kept) {
  co_yield *kept;
  co_yield elements_of(tree(2));
  co_yield *kept;
}

TEST(Generator, one_that_is_not_run_to_its_end_frees_all_it_holds) {
  const auto kept = std::make_shared<int>(1);
  for (const int num_steps : {0, 1, 2, 3}) {
    auto some = holds(kept);
    if (num_steps > 0) {
      auto it = some.begin();
      for (int i = 1; i < num_steps; ++i) {
        ++it;
      }
    }
    EXPECT_EQ(kept.use_count(), 2);
  }

  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace generator_test
