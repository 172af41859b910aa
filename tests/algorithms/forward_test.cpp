// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges that can only be walked: the same results as in sequence, others help where that pays, and
// exceptions end the walk.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/adjacent_difference.hpp"
#include "weft/algorithms/adjacent_find.hpp"
#include "weft/algorithms/copy.hpp"
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/destroy.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/equal.hpp"
#include "weft/algorithms/fill.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/find_first_of.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/generate.hpp"
#include "weft/algorithms/is_sorted.hpp"
#include "weft/algorithms/min_max.hpp"
#include "weft/algorithms/mismatch.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/replace.hpp"
#include "weft/algorithms/search.hpp"
#include "weft/algorithms/swap_ranges.hpp"
#include "weft/algorithms/transform.hpp"
#include "weft/algorithms/transform_reduce.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/map_support.hpp"

namespace weft::test {
namespace forward_test {

class forward : public on_workers {
 protected:
  template <class List, class Check>
  void at_every_size(Check check) {
    for (const std::size_t n : {std::size_t{0},
                                std::size_t{1},
                                std::size_t{2},
                                chunk - 1,
                                chunk,
                                chunk + 1,
                                std::size_t{2011}}) {
      const std::vector<long> numbers = counted<long>(n);
      List list(numbers.begin(), numbers.end());
      check(numbers, list);
    }
  }
};

/// Takes long enough that others are worth waking.
long slow_square(long x) {
  double slow = static_cast<double>(x);
  for (int i = 0; i < 60; ++i) {
    slow = std::sqrt(slow * slow + 1e-300);
  }
  return std::lround(slow * slow);
}

TEST_P(forward, every_element_is_visited_once) {
  at_every_size<std::forward_list<long>>([&](const auto& numbers, auto& list) {
    weft::for_each(chunked(), list.begin(), list.end(), [](long& x) { x += 5; });
    weft::for_each(measured(), list.begin(), list.end(), [](long& x) { x = slow_square(x); });

    const auto half = static_cast<std::ptrdiff_t>(numbers.size() / 2);
    const auto middle = weft::for_each_n(chunked(), list.begin(), half, [](long& x) { x = -x; });

    EXPECT_EQ(middle, std::next(list.begin(), half));
    std::size_t i = 0;
    for (const long x : list) {
      const long square = (numbers[i] + 5) * (numbers[i] + 5);
      ASSERT_EQ(x, i < static_cast<std::size_t>(half) ? -square : square) << i;
      ++i;
    }
    EXPECT_EQ(i, numbers.size());
  });
}

TEST_P(forward, transforms_and_copies_reach_the_same_places) {
  at_every_size<std::list<long>>([&](const auto& numbers, auto& list) {
    std::forward_list<long> out(numbers.size());
    std::vector<long> sums(numbers.size());

    const auto end = weft::transform(
        chunked(), list.begin(), list.end(), out.begin(), [](long x) { return 2 * x; });
    const auto sums_end = weft::transform(
        chunked(), numbers.begin(), numbers.end(), out.begin(), sums.begin(), [](long a, long b) {
          return a + b;
        });

    EXPECT_EQ(end, out.end());
    EXPECT_EQ(sums_end, sums.end());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(sums[i], 3 * numbers[i]);
    }
    EXPECT_EQ(weft::copy(chunked(), sums.begin(), sums.end(), list.begin()), list.end());
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), list.begin(), list.end()));
    EXPECT_EQ(weft::copy_n(chunked(), list.begin(), numbers.size(), out.begin()), out.end());
    EXPECT_TRUE(std::equal(sums.begin(), sums.end(), out.begin(), out.end()));
  });
}

TEST_P(forward, moves_what_cannot_be_copied) {
  std::list<std::unique_ptr<int>> from;
  for (int i = 0; i < 500; ++i) {
    from.push_back(std::make_unique<int>(i));
  }
  std::vector<std::unique_ptr<int>> to(from.size());

  EXPECT_EQ(weft::move(chunked(), from.begin(), from.end(), to.begin()), to.end());

  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(*to[static_cast<std::size_t>(i)], i);
  }
}

TEST_P(forward, writes_values) {
  at_every_size<std::forward_list<long>>([&](const auto& numbers, auto& list) {
    const auto n = static_cast<std::ptrdiff_t>(numbers.size());
    std::atomic<long> calls{0};

    weft::generate(chunked(), list.begin(), list.end(), [&calls] { return ++calls; });
    std::set<long> made(list.begin(), list.end());
    EXPECT_EQ(made.size(), numbers.size());
    EXPECT_EQ(calls, n);
    weft::replace_if(chunked(), list.begin(), list.end(), [](long x) { return x % 2 == 0; }, 0L);
    weft::replace(chunked(), list.begin(), list.end(), 1L, 0L);
    for (const long x : list) {
      ASSERT_TRUE(x == 0 || (x % 2 == 1 && x > 1)) << x;
    }
    std::vector<long> copies(numbers.size());
    const auto copies_end =
        weft::replace_copy(chunked(), list.begin(), list.end(), copies.begin(), 0L, -1L);
    EXPECT_EQ(copies_end, copies.end());
    EXPECT_EQ(std::count(copies.begin(), copies.end(), -1L),
              std::count(list.begin(), list.end(), 0L));
    EXPECT_EQ(weft::generate_n(chunked(), list.begin(), n, [] { return 3; }), list.end());
    EXPECT_EQ(weft::fill_n(chunked(), list.begin(), n / 2, 9), std::next(list.begin(), n / 2));
    EXPECT_EQ(std::count(list.begin(), list.end(), 9), n / 2);
    weft::fill(chunked(), list.begin(), list.end(), 4);
    EXPECT_EQ(std::count(list.begin(), list.end(), 4), n);
  });
}

TEST_P(forward, values_are_joined_in_order) {
  std::list<std::string> words;
  std::string expected = "begin ";
  for (int i = 0; i < 1500; ++i) {
    words.push_back(std::to_string(i) + ' ');
    expected += words.back();
  }
  for (std::size_t size = 1; size < 1600; size = 3 * size + 1) {
    const auto policy = par.on(runtime).with(dynamic_chunk_size{size});
    EXPECT_EQ(weft::reduce(policy, words.begin(), words.end(), std::string("begin ")), expected);
  }
  EXPECT_EQ(weft::reduce(measured(), words.begin(), words.end(), std::string("begin ")), expected);
}

TEST_P(forward, sums_and_counts_are_those_of_a_loop) {
  at_every_size<std::forward_list<long>>([&](const auto& numbers, auto& list) {
    long sum = 7;
    long products = 7;
    for (const long x : numbers) {
      sum += x * x;
      products += x * (x + 1);
    }
    std::list<long> others(list.begin(), list.end());
    std::transform(others.begin(), others.end(), others.begin(), [](long x) { return x + 1; });

    for (int i = 0; i < 3; ++i) {  // measured anew, or known
      EXPECT_EQ(weft::transform_reduce(
                    measured(), list.begin(), list.end(), 7L, std::plus<>(), slow_square),
                sum);
    }
    EXPECT_EQ(
        weft::transform_reduce(chunked(), list.begin(), list.end(), 7L, std::plus<>(), slow_square),
        sum);
    EXPECT_EQ(weft::transform_reduce(chunked(), list.begin(), list.end(), others.begin(), 7L),
              products);
    EXPECT_EQ(weft::count(chunked(), list.begin(), list.end(), 3),
              std::count(numbers.begin(), numbers.end(), 3));
    const auto is_odd = [](long x) { return x % 2 == 1; };
    EXPECT_EQ(weft::count_if(chunked(), list.begin(), list.end(), is_odd),
              std::count_if(numbers.begin(), numbers.end(), is_odd));
  });
}

TEST_P(forward, the_first_of_all_hits_is_found) {
  std::list<long> list;
  for (long i = 0; i < 3000; ++i) {
    list.push_back(i % 1000);
  }
  for (const long wanted : {0L, 1L, 36L, 37L, 500L, 999L}) {
    const auto found = weft::find(chunked(), list.begin(), list.end(), wanted);
    EXPECT_EQ(std::distance(list.begin(), found), wanted);
    const auto slowly = weft::find_if(measured(), list.begin(), list.end(), [wanted](long x) {
      return slow_square(x) == wanted * wanted;
    });
    EXPECT_EQ(slowly, found);
  }
  EXPECT_EQ(weft::find(chunked(), list.begin(), list.end(), -1L), list.end());
  EXPECT_EQ(weft::find_if_not(chunked(), list.begin(), list.end(), [](long x) { return x >= 0; }),
            list.end());
}

TEST_P(forward, neighbours_are_looked_at_in_pairs) {
  at_every_size<std::forward_list<long>>([&](const auto& numbers, auto& list) {
    const auto n = static_cast<std::ptrdiff_t>(numbers.size());
    std::vector<long> differences(numbers.size());
    std::forward_list<long> walked(numbers.size());
    std::adjacent_difference(numbers.begin(), numbers.end(), differences.begin());

    EXPECT_EQ(weft::adjacent_difference(
                  chunked(), list.begin(), list.end(), walked.begin(), std::minus<>()),
              walked.end());
    EXPECT_TRUE(std::equal(walked.begin(), walked.end(), differences.begin()));
    EXPECT_EQ(weft::is_sorted_until(chunked(), list.begin(), list.end(), std::less<>()),
              list.end());
    EXPECT_EQ(weft::adjacent_find(chunked(), list.begin(), list.end(), std::equal_to<>()),
              list.end());
    for (std::ptrdiff_t at = 1; at < n; at = 2 * at + 5) {
      const auto place = std::next(list.begin(), at);
      const auto before = std::next(list.begin(), at - 1);
      const long kept = std::exchange(*place, *before);
      EXPECT_EQ(weft::adjacent_find(chunked(), list.begin(), list.end(), std::equal_to<>()),
                before);
      *place = -1;
      EXPECT_EQ(weft::is_sorted_until(chunked(), list.begin(), list.end(), std::less<>()), place);
      *place = kept;
    }
  });
}

TEST_P(forward, of_equal_extremes_the_standards_choice_is_found) {
  std::list<int> list;
  const auto expect_same = [&](auto policy) {
    EXPECT_EQ(weft::min_element(policy, list.begin(), list.end()),
              std::min_element(list.begin(), list.end()));
    EXPECT_EQ(weft::max_element(policy, list.begin(), list.end()),
              std::max_element(list.begin(), list.end()));
    EXPECT_EQ(weft::minmax_element(policy, list.begin(), list.end()),
              std::minmax_element(list.begin(), list.end()));
  };
  for (int n = 0; n < 600; n = 3 * n + 1) {
    list.clear();
    for (int i = 0; i < n; ++i) {
      list.push_back(i * 7 % 11);
    }
    expect_same(chunked());
    expect_same(measured());
  }
}

TEST_P(forward, pairs_and_patterns_are_found_where_the_standard_finds_them) {
  at_every_size<std::forward_list<long>>([&](const auto& numbers, auto& list) {
    std::list<long> other(numbers.begin(), numbers.end());
    EXPECT_TRUE(weft::equal(chunked(), list.begin(), list.end(), other.begin()));
    for (std::size_t at = 0; at < numbers.size(); at = 3 * at + 30) {
      const auto steps = static_cast<std::ptrdiff_t>(at);
      const auto place = std::next(other.begin(), steps);
      const std::vector<long> wanted{numbers[at], -5};
      EXPECT_EQ(
          weft::find_first_of(chunked(), list.begin(), list.end(), wanted.begin(), wanted.end()),
          std::next(list.begin(), steps));
      EXPECT_EQ(weft::search(chunked(), list.begin(), list.end(), place, other.end()),
                std::next(list.begin(), steps));
      *place = -1;
      EXPECT_EQ(weft::mismatch(chunked(), list.begin(), list.end(), other.begin()).second, place);
      *place = numbers[at];
    }
    const std::array<long, 2> never{-5, -6};
    EXPECT_EQ(weft::search(chunked(), list.begin(), list.end(), never.begin(), never.end()),
              list.end());
    std::list<long> ones(numbers.size(), 1);
    EXPECT_EQ(weft::swap_ranges(chunked(), list.begin(), list.end(), ones.begin()), ones.end());
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), ones.begin()));
    EXPECT_TRUE(std::all_of(list.begin(), list.end(), [](long x) { return x == 1; }));
  });
}

TEST_P(forward, a_search_ends_where_no_start_has_room) {
  const std::list<long> ones(2000, 1);
  const std::vector<long> more_ones(ones.size() + 1, 1);
  std::atomic<std::size_t> num_calls{0};
  const auto same = [&num_calls](long a, long b) {
    num_calls.fetch_add(1, std::memory_order_relaxed);
    return a == b;
  };

  const auto found =
      weft::search(chunked(), ones.begin(), ones.end(), more_ones.begin(), more_ones.end(), same);

  EXPECT_EQ(found, ones.end());
  EXPECT_LE(num_calls, static_cast<std::size_t>(GetParam()) * ones.size());
}

TEST_P(forward, every_object_of_a_list_is_destroyed_once) {
  watched::reset();
  constexpr std::size_t n = 500;
  const auto end_of = [this](auto first, auto last, bool counts) {
    if (counts) {
      return weft::destroy_n(chunked(), first, n);
    }
    weft::destroy(chunked(), first, last);
    return last;
  };
  for (const bool counts : {false, true}) {
    std::allocator<watched> memory;
    watched* const objects = memory.allocate(n);
    std::uninitialized_default_construct_n(objects, n);
    std::list<watched*> places;
    for (std::size_t i = 0; i < n; ++i) {
      places.push_back(objects + i);
    }
    const auto object_of = [](watched* at) -> watched& { return *at; };
    auto all = std::views::transform(places, object_of);
    EXPECT_EQ(end_of(all.begin(), all.end(), counts), all.end());
    EXPECT_EQ(watched::alive, 0);
    memory.deallocate(objects, n);
  }
}

TEST_P(forward, a_deterministic_sum_has_the_same_bits) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2049}, std::size_t{12'289}}) {
    std::list<double> list;
    for (std::size_t i = 0; i < n; ++i) {
      list.push_back(1.0 / static_cast<double>(3 * i + 1));
    }
    const auto slowly = [](double x) { return x + 0 * static_cast<double>(slow_square(1)); };
    const double expected =
        weft::reduce_deterministic(seq, list.begin(), list.end(), 0.1, std::plus<>());
    EXPECT_NEAR(expected, std::accumulate(list.begin(), list.end(), 0.1), 1e-9);
    EXPECT_EQ(weft::reduce_deterministic(measured(), list.begin(), list.end(), 0.1), expected);
    EXPECT_EQ(
        weft::transform_reduce(
            measured().with(deterministic), list.begin(), list.end(), 0.1, std::plus<>(), slowly),
        expected);
  }
}

TEST(front_join, calls_nothing_with_values_that_a_failed_join_moved_from) {
  using number = std::unique_ptr<int>;
  int calls_left = 2;
  const auto sum = [&calls_left](number a, number b) -> number {
    if (--calls_left == 0) {
      throw std::runtime_error("sum");
    }
    return std::make_unique<int>(*a + *b);
  };
  algorithms::detail::front_join<number> joined(std::make_unique<int>(1));
  joined.add(2, std::make_unique<int>(2), sum);
  joined.add(0, std::make_unique<int>(3), sum);
  EXPECT_EQ(calls_left, 1);
  EXPECT_THROW(joined.add(1, std::make_unique<int>(4), sum), std::runtime_error);

  joined.add(3, std::make_unique<int>(5), sum);
  EXPECT_EQ(calls_left, 0);  // not again for places 1 and 2
}

TEST_P(forward, an_exception_at_any_element_is_rethrown_at_the_call) {
  std::list<int> list(400);
  std::iota(list.begin(), list.end(), 0);
  for (int at = 0; at < 400; at += 57) {
    const auto fails = [at](int x) {
      if (x == at) {
        throw std::out_of_range("here");
      }
      return x;
    };
    EXPECT_THROW(weft::for_each(chunked(), list.begin(), list.end(), fails), std::out_of_range);
    EXPECT_THROW(weft::for_each(measured(), list.begin(), list.end(), fails), std::out_of_range);
    EXPECT_THROW(static_cast<void>(weft::transform_reduce(
                     chunked(), list.begin(), list.end(), 0, std::plus<>(), fails)),
                 std::out_of_range);
    EXPECT_THROW(static_cast<void>(weft::find_if(
                     chunked(), list.begin(), list.end(), [&](int x) { return fails(x) < 0; })),
                 std::out_of_range);
  }
}

TEST_P(forward, chunks_are_as_large_as_asked_for) {
  std::list<int> list(1000);
  chunking_parameters done;
  const collect_chunking_parameters report(done);
  const auto touch = [](int& x) { ++x; };

  weft::for_each(
      par.on(runtime).with(static_chunk_size{300}, report), list.begin(), list.end(), touch);
  EXPECT_EQ(done.num_elements, 1000U);
  EXPECT_EQ(done.num_chunks, 4U);
  EXPECT_EQ(done.chunk_size, 300U);

  weft::for_each(par.on(runtime).with(dynamic_chunk_size{1}, max_num_chunks{3}, report),
                 list.begin(),
                 list.end(),
                 touch);
  EXPECT_EQ(done.num_chunks, 3U);

  weft::for_each(
      par.on(runtime).with(static_chunk_size{}, report), list.begin(), list.end(), touch);
  EXPECT_EQ(done.num_chunks, 4U * static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(list.front(), 3);
  EXPECT_EQ(list.back(), 3);
}

TEST_P(forward, elements_are_counted_before_a_loop_only_if_a_number_of_chunks_is_asked_for) {
  std::list<int> list(1000);
  std::atomic<int> num_steps = 0;
  const auto steps_of = [&](const auto& policy) {
    auto each = std::views::filter(list, [&num_steps](int) { return ++num_steps > 0; });
    num_steps = 0;
    weft::for_each(policy, each.begin(), each.end(), [](int& x) { ++x; });
    return num_steps.load();
  };
  const auto chunks = par.on(runtime).with(dynamic_chunk_size{300});

  const int in_loop = steps_of(chunks);

  EXPECT_EQ(steps_of(chunks.with(max_num_chunks{})), in_loop);
  EXPECT_GT(steps_of(chunks.with(max_num_chunks{3})), in_loop);
}

TEST_P(forward, elements_of_a_filter_are_read_by_the_worker_of_their_chunk_alone) {
  constexpr int n = 1000;
  struct numbered {
    int value;
    std::atomic<int> num_reads{0};
  };
  std::list<numbered> list;
  for (int i = 0; i < n; ++i) {
    list.emplace_back(i);
  }
  const auto is_there = [](numbered& x) { return ++x.num_reads > 0; };
  auto each = std::views::filter(list, is_there);
  const auto first = each.begin();
  const auto last = each.end();
  for (numbered& x : list) {
    x.num_reads = 0;
  }

  weft::for_each(par.on(runtime).with(dynamic_chunk_size{10}), first, last, [](numbered& x) {
    x.value = -x.value - 1000 * x.num_reads;
  });

  // The claim of a chunk walks to the next one's first element; then its own worker steps to all
  // but the first of its elements.
  int at = 0;
  for (const numbered& x : list) {
    const int num_reads = at == 0 ? 0 : at % 10 == 0 ? 1 : 2;
    ASSERT_EQ(x.value, -at - 1000 * num_reads) << at;
    ASSERT_EQ(x.num_reads, num_reads) << at;
    ++at;
  }
}

TEST_P(forward, bits_that_share_bytes_are_written_by_one) {
  std::list<int> list(3000, 1);
  std::vector<bool> bits(list.size());

  weft::transform(chunked(), list.begin(), list.end(), bits.begin(), [](int x) { return x == 1; });

  EXPECT_EQ(std::count(bits.begin(), bits.end(), true), 3000);
}

TEST(forward_ranges, elements_that_wait_for_another_worker_get_one) {
  weft::runtime runtime(with_workers(2));
  std::list<int> list(2);
  std::atomic<int> inside{0};

  weft::for_each(par.on(runtime).with(dynamic_chunk_size{1}), list.begin(), list.end(), [&](int&) {
    ++inside;
    while (inside != 2) {
      std::this_thread::yield();
    }
  });

  EXPECT_EQ(inside, 2);
}

INSTANTIATE_TEST_SUITE_P(workers, forward, testing::Values(1, 2, 7));

}  // namespace forward_test
}  // namespace weft::test
