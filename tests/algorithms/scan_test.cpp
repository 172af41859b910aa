// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of prefixes, against the standard's, on few and many workers.
#include "weft/algorithms/scan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <list>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/kernels/scan_kernels.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/scanning/scan_block.hpp"
#include "weft/algorithms/detail/scanning/scan_tiles.hpp"
#include "weft/algorithms/detail/scanning/walked_scan.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "algorithms/scan_support.hpp"

namespace scan_test {

namespace detail = weft::algorithms::detail;
using weft::test::expect_every_other_tile;
using weft::test::expect_past_caches;
using weft::test::expect_scan_by_three;
using weft::test::prefer_streams;
using weft::test::scan_by_three;
using weft::test::throws_after;

constexpr auto sizes =
    std::to_array<std::size_t>({0, 1, 2, 3, 63, 64, 65, 1000, 4096, 4097, 4098, 100000});

/// A linear map x -> factor * x + term modulo 2^64: composing them is associative, not commutative.
struct line {
  std::uint64_t factor;
  std::uint64_t term;
  line(std::uint64_t f, std::uint64_t t) : factor(f), term(t) {}
  bool operator==(const line&) const = default;
};

line then(const line& one, const line& next) {
  return {one.factor * next.factor, next.factor * one.term + next.term};
}

std::vector<line> some_lines(std::size_t n) {
  std::mt19937_64 random(7);
  std::vector<line> lines;
  lines.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    lines.emplace_back(random() | 1U, random());
  }
  return lines;
}

weft::runtime_options workers(int n) {
  weft::runtime_options options;
  options.workers = n;
  return options;
}

/// Calls `check` with policies that run alone, with others, and with more others than processors.
template <class Check>
void on_all_kinds(Check check) {
  check(weft::seq);
  check(weft::par);
  check(weft::par.with(weft::static_chunk_size{100}));
  for (const int n : {1, 2, 7}) {
    weft::runtime home(workers(n));
    check(weft::par_unseq.on(home).with(weft::static_chunk_size{16}));
    check(weft::par.on(home).with(weft::deterministic));
  }
}

TEST(InclusiveScan, inclusive_is_what_the_standard_does) {
  on_all_kinds([](const auto& policy) {
    for (const std::size_t n : sizes) {
      const std::vector<line> in = some_lines(n);
      std::vector<line> expected(n, line(0, 0));
      std::vector<line> found = expected;
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), then);
      EXPECT_EQ(weft::inclusive_scan(policy, in.begin(), in.end(), found.begin(), then),
                found.end());
      ASSERT_EQ(found, expected) << n;

      std::inclusive_scan(in.begin(), in.end(), expected.begin(), then, line(3, 5));
      weft::inclusive_scan(policy, in.begin(), in.end(), found.begin(), then, line(3, 5));
      ASSERT_EQ(found, expected) << n;
    }
  });
}

TEST(ExclusiveScan, exclusive_is_what_the_standard_does) {
  on_all_kinds([](const auto& policy) {
    for (const std::size_t n : sizes) {
      const std::vector<line> in = some_lines(n);
      std::vector<line> expected(n, line(0, 0));
      std::vector<line> found = in;
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), line(3, 5), then);
      // where the input is
      weft::exclusive_scan(policy, found.begin(), found.end(), found.begin(), line(3, 5), then);
      ASSERT_EQ(found, expected) << n;
    }
  });
}

TEST(TransformScan, mapped_scans_are_what_the_standard_does) {
  const auto length = [](const std::string& s) { return s.size(); };
  on_all_kinds([&](const auto& policy) {
    for (const std::size_t n : {0UL, 1UL, 77UL, 20000UL}) {
      std::vector<std::string> in;
      in.reserve(n);
      for (std::size_t i = 0; i < n; ++i) {
        in.emplace_back(i % 13, 'x');
      }
      std::vector<std::size_t> expected(n);
      std::vector<std::size_t> found(n);
      const std::plus<> add;
      std::transform_inclusive_scan(in.begin(), in.end(), expected.begin(), add, length);
      weft::transform_inclusive_scan(policy, in.begin(), in.end(), found.begin(), add, length);
      ASSERT_EQ(found, expected);
      std::transform_inclusive_scan(in.begin(), in.end(), expected.begin(), add, length, 9UL);
      weft::transform_inclusive_scan(policy, in.begin(), in.end(), found.begin(), add, length, 9UL);
      ASSERT_EQ(found, expected);
      std::transform_exclusive_scan(in.begin(), in.end(), expected.begin(), 9UL, add, length);
      weft::transform_exclusive_scan(policy, in.begin(), in.end(), found.begin(), 9UL, add, length);
      ASSERT_EQ(found, expected);
    }
  });
}

TEST(InclusiveScan, sums_and_products_of_numbers_are_near) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> near_one(0.999, 1.001);
  std::vector<double> in(200001);
  std::generate(in.begin(), in.end(), [&] { return near_one(random); });
  std::vector<double> sums(in.size());
  std::vector<double> products(in.size());
  weft::runtime home(workers(3));

  weft::inclusive_scan(weft::par.on(home), in.begin(), in.end(), sums.begin());
  weft::inclusive_scan(
      weft::par.on(home), in.begin(), in.end(), products.begin(), std::multiplies<>());

  long double sum = 0;
  long double product = 1;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    product *= in[i];
    ASSERT_NEAR(sums[i], static_cast<double>(sum), 1e-10 * static_cast<double>(sum));
    ASSERT_NEAR(products[i], static_cast<double>(product), 1e-10 * static_cast<double>(product));
  }
}

TEST(ExclusiveScan, deterministic_sums_are_the_same_bits_on_any_workers) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> in(100000);
  std::generate(in.begin(), in.end(), [&] { return normal(random); });
  std::vector<float> expected(in.size());
  std::vector<float> found(in.size());
  weft::exclusive_scan(
      weft::par.with(weft::deterministic), in.begin(), in.end(), expected.begin(), 0.5F);
  for (const int n : {1, 2, 7}) {
    weft::runtime home(workers(n));
    for (int i = 0; i < 10; ++i) {
      weft::exclusive_scan(
          weft::par.on(home).with(weft::deterministic), in.begin(), in.end(), found.begin(), 0.5F);
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(ExclusiveScan, minus_zeros_stay_what_they_are) {
  const auto is_minus_zero = [](double x) { return x == 0 && std::signbit(x); };
  const auto negated = [](double x) { return -x; };
  on_all_kinds([&](const auto& policy) {
    for (const std::size_t n : {1UL, 31UL, 32UL, 10'000UL}) {
      const std::vector<double> in(n, -0.0);
      std::vector<double> out(n, 42.0);
      weft::inclusive_scan(policy, in.begin(), in.end(), out.begin());
      ASSERT_TRUE(std::all_of(out.begin(), out.end(), is_minus_zero)) << n;
      std::fill(out.begin(), out.end(), 42.0);
      weft::exclusive_scan(policy, in.begin(), in.end(), out.begin(), -0.0);
      ASSERT_TRUE(std::all_of(out.begin(), out.end(), is_minus_zero)) << n;

      const std::vector<double> zeros(n, 0.0);
      weft::transform_inclusive_scan(
          policy, zeros.begin(), zeros.end(), out.begin(), std::plus<>(), negated);
      ASSERT_TRUE(std::all_of(out.begin(), out.end(), is_minus_zero)) << n;
    }
  });
}

TEST(InclusiveScan, takes_volatile_numbers_and_wide_characters) {
  std::array<volatile int, 100> numbers{};
  std::fill(numbers.begin(), numbers.end(), 2);
  weft::inclusive_scan(weft::par, numbers.begin(), numbers.end(), numbers.begin());
  EXPECT_EQ(numbers.back(), 200);
  std::vector<int> plain(numbers.size());
  weft::inclusive_scan(weft::par, numbers.begin(), numbers.end(), plain.begin());
  EXPECT_EQ(plain.back(), 100 * 101);

  const std::vector<char32_t> in(100, U'\2');
  std::vector<char32_t> out(in.size());
  weft::inclusive_scan(weft::par, in.begin(), in.end(), out.begin());
  EXPECT_EQ(out.back(), char32_t{200});
  static_assert(!weft::algorithms::detail::kernels::scannable<char32_t>);
}

TEST(InclusiveScan, takes_lists_and_bits) {
  const std::forward_list<int> in{1, 2, 3};
  std::forward_list<int> out{0, 0, 0};
  EXPECT_EQ(weft::inclusive_scan(weft::par, in.begin(), in.end(), out.begin()), out.end());
  EXPECT_EQ(out, (std::forward_list<int>{1, 3, 6}));

  std::vector<bool> bits(10000, false);
  bits[777] = true;
  weft::inclusive_scan(
      weft::par, bits.begin(), bits.end(), bits.begin(), std::logical_or<>(), false);
  EXPECT_EQ(std::count(bits.begin(), bits.end(), true), 10000 - 777);
}

std::uint64_t slowly(std::uint64_t x) {
  double slow = 2;
  for (int i = 0; i < 60; ++i) {
    slow = std::sqrt(slow * slow + 1e-300);
  }
  return x + static_cast<std::uint64_t>(std::lround(slow));
}

TEST(InclusiveScan, lists_are_walked_in_turns) {
  const auto slow_then = [](const line& a, const line& b) {
    const line both = then(a, b);
    return line(both.factor, slowly(both.term) - 2);
  };
  for (const int n : {1, 2, 7}) {
    weft::runtime home(workers(n));
    const auto check = [](const auto& policy, const auto& op, std::size_t size) {
      const std::vector<line> in = some_lines(size);
      std::list<line> list(in.begin(), in.end());
      std::vector<line> expected(size, line(0, 0));
      std::vector<line> found = expected;
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), then);
      EXPECT_EQ(weft::inclusive_scan(policy, list.begin(), list.end(), found.begin(), op),
                found.end());
      ASSERT_EQ(found, expected) << size;

      std::exclusive_scan(in.begin(), in.end(), expected.begin(), line(3, 5), then);
      // where the input is
      EXPECT_EQ(
          weft::exclusive_scan(policy, list.begin(), list.end(), list.begin(), line(3, 5), op),
          list.end());
      ASSERT_TRUE(std::equal(list.begin(), list.end(), expected.begin())) << size;
    };
    for (const std::size_t size : {0U, 1U, 2U, 3U, 36U, 37U, 38U, 39U, 2011U}) {
      check(weft::par.on(home).with(weft::dynamic_chunk_size{37}), then, size);
      check(weft::par.on(home).with(weft::dynamic_chunk_size{1}), then, size);
      check(weft::par.on(home), slow_then, size);  // measured anew, or known
    }
  }
}

TEST(TransformScan, walks_over_what_is_computed_and_what_can_only_be_moved) {
  weft::runtime home(workers(3));
  const auto policy = weft::par.on(home).with(weft::dynamic_chunk_size{9});
  std::list<int> list(500, 1);
  auto doubled = std::views::transform(list, [](int x) { return 2 * x; });
  std::vector<long> sums(list.size());
  weft::transform_inclusive_scan(
      policy, doubled.begin(), doubled.end(), sums.begin(), std::plus<>(), std::identity(), 1L);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i], 2 * static_cast<long>(i) + 3);
  }

  using owned = std::unique_ptr<long>;
  std::list<owned> to(list.size());
  const auto end = weft::transform_exclusive_scan(
      policy,
      list.begin(),
      list.end(),
      to.begin(),
      std::make_unique<long>(5),
      [](const owned& a, const owned& b) { return std::make_unique<long>(*a + *b); },
      [](int x) { return std::make_unique<long>(x); });
  EXPECT_EQ(end, to.end());
  EXPECT_EQ(*to.front(), 5);
  EXPECT_EQ(*to.back(), 5 + 499);
}

TEST(ExclusiveScan, walked_elements_are_summed_in_the_type_of_the_initial_value) {
  weft::runtime home(workers(3));
  const auto policy = weft::par.on(home).with(weft::dynamic_chunk_size{9});
  const std::list<std::uint32_t> list(2000, 0xC0000000U);
  const auto slow_plus = [](auto a, auto b) {
    auto sum = a + b;  // wraps where both are elements
    return slowly(0) == 2 ? sum : 0;
  };
  std::vector<std::uint64_t> expected(list.size());
  std::vector<std::uint64_t> found(list.size());
  for (int round = 0; round < 5; ++round) {
    std::exclusive_scan(
        list.begin(), list.end(), expected.begin(), std::uint64_t{0}, std::plus<>());
    weft::exclusive_scan(
        policy, list.begin(), list.end(), found.begin(), std::uint64_t{0}, slow_plus);
    ASSERT_EQ(found, expected);
    std::inclusive_scan(
        list.begin(), list.end(), expected.begin(), std::plus<>(), std::uint64_t{0});
    weft::inclusive_scan(
        policy, list.begin(), list.end(), found.begin(), slow_plus, std::uint64_t{0});
    ASSERT_EQ(found, expected);
  }
}

TEST(ExclusiveScan, walked_chunks_tell_their_sum_on_in_the_type_of_the_initial_value) {
  constexpr std::uint64_t each = 0xC0000000U;
  constexpr std::uint64_t in_front = 5;
  const std::list<std::uint32_t> list(9, static_cast<std::uint32_t>(each));
  std::vector<std::uint64_t> out(list.size());
  detail::handed_sum<std::uint64_t> before(0);
  std::size_t num_sums = 0;
  const auto plus = [&](auto a, auto b) {
    if (++num_sums == list.size() - 1) {  // its own sum is there before what stands in front of it
      before.hand_on(0, std::uint64_t{in_front});
    }
    return a + b;
  };
  const detail::as_it_is map;
  const detail::place_scan<detail::scan_kind::exclusive,
                           std::uint64_t,
                           decltype(plus),
                           const detail::as_it_is>
      scan{plus, map};
  detail::walked_chunk<detail::walk<decltype(list.begin()), decltype(out.begin())>> chunk{
      .places = detail::walk(list.begin(), list.end(), out.begin()),
      .size = list.size(),
      .index = 1};

  ASSERT_TRUE(scan(chunk, before));

  ASSERT_TRUE(before.is_there(2));
  EXPECT_EQ(before.take(), in_front + 9 * each);
  EXPECT_EQ(out.front(), in_front);
  EXPECT_EQ(out.back(), in_front + 8 * each);
}

/// Adds what cannot become a number by itself, and not two of those.
struct add_lengths {
  std::size_t operator()(std::size_t a, std::size_t b) const { return a + b; }
  std::size_t operator()(std::size_t a, const std::string& b) const { return a + b.size(); }
};

TEST(InclusiveScan, walks_over_elements_that_are_added_to_sums_alone) {
  weft::runtime home(workers(3));
  const std::list<std::string> list(500, "xyz");
  std::vector<std::size_t> sums(list.size());

  weft::inclusive_scan(weft::par.on(home).with(weft::dynamic_chunk_size{9}),
                       list.begin(),
                       list.end(),
                       sums.begin(),
                       add_lengths(),
                       std::size_t{1});

  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i], 3 * i + 4);
  }
}

/// A bit that shares its byte with others, as those of a container of the user's own.
struct bit {
  std::vector<bool>::reference to;
  const bit& operator=(bool x) const {
    auto there = to;
    there = x;
    return *this;
  }
  operator bool() const { return to; }  // NOLINT(google-explicit-constructor): as a bit's
};

TEST(InclusiveScan, outputs_that_may_share_bytes_are_written_by_one) {
  weft::runtime home(workers(3));
  const std::list<bool> list(2000, true);
  std::vector<bool> bits(list.size());
  auto out = std::views::transform(bits, [](std::vector<bool>::reference x) { return bit{x}; });
  weft::chunking_parameters done;
  const auto policy =
      weft::par.on(home).with(weft::dynamic_chunk_size{9}, weft::collect_chunking_parameters(done));

  weft::inclusive_scan(policy, list.begin(), list.end(), out.begin(), std::not_equal_to<>(), false);

  EXPECT_LE(done.num_chunks, 1);  // none: it is not cut
  for (std::size_t i = 0; i < bits.size(); ++i) {
    ASSERT_EQ(bits[i], i % 2 == 0) << i;
  }
}

TEST(InclusiveScan, rethrows_what_an_operation_throws_wherever) {
  weft::runtime home(workers(3));
  std::vector<std::string> in(3000, "x");
  std::vector<std::size_t> out(in.size());
  for (const std::size_t where : {0UL, 1UL, 2UL, 100UL, 1499UL, 2999UL}) {
    in[where] = "bad";
    const auto length = [](const std::string& s) {
      return s == "bad" ? throw std::runtime_error(s) : s.size();
    };
    EXPECT_THROW(weft::transform_inclusive_scan(weft::par.on(home).with(weft::static_chunk_size{9}),
                                                in.begin(),
                                                in.end(),
                                                out.begin(),
                                                std::plus<>(),
                                                length),
                 std::runtime_error);
    const std::list<std::string> list(in.begin(), in.end());
    EXPECT_THROW(
        weft::transform_exclusive_scan(weft::par.on(home).with(weft::dynamic_chunk_size{9}),
                                       list.begin(),
                                       list.end(),
                                       out.begin(),
                                       std::size_t{7},
                                       std::plus<>(),
                                       length),
        std::runtime_error);
    in[where] = "x";
  }
}

TEST(InclusiveScan, is_the_same_past_the_caches) {
  std::vector<int> in(5000);
  std::iota(in.begin(), in.end(), 1);
  std::plus<> add;
  detail::as_it_is map;
  for (const std::size_t offset : {0UL, 1UL, 15UL}) {
    for (const std::size_t n : {0UL, 1UL, 17UL, 1023UL, 1024UL, 4900UL}) {
      std::vector<int> expected(in.size(), 0);
      std::vector<int> found = expected;
      const int sum = detail::scan_block<detail::scan_kind::exclusive>(
          7, in.begin(), n, expected.data() + offset, add, map);
      constexpr bool is_regrouped = true;
      const int streamed_sum =
          detail::stream_scan_block<detail::scan_kind::exclusive, is_regrouped>(
              7, in.begin(), n, found.data() + offset, add, map);
      EXPECT_EQ(streamed_sum, sum);
      detail::stream_fence();
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(InclusiveScan, reads_ahead_between_another_s_tiles) {
  ASSERT_NO_FATAL_FAILURE(prefer_streams());
  for (const std::size_t n : {1UL, 100UL, 101UL, 250UL, 300UL, 1003UL, 5017UL}) {
    for (const std::size_t start : {0UL, 1UL}) {
      expect_every_other_tile<detail::scan_kind::inclusive, int>(n, start);
      expect_every_other_tile<detail::scan_kind::exclusive, int>(n, start);
      expect_every_other_tile<detail::scan_kind::inclusive, double>(n, start);
      expect_every_other_tile<detail::scan_kind::exclusive, double>(n, start);
    }
  }
}

TEST(InclusiveScan, that_reads_ahead_fails_at_every_operation) {
  int allowed = 0;
  while (allowed < 1000 && throws_after(allowed)) {
    ++allowed;
  }
  EXPECT_GT(allowed, 50);
  EXPECT_LT(allowed, 1000);
}

TEST(InclusiveScan, reads_ahead_where_kernels_do_the_sums) {
  using numbers = std::vector<double>::const_iterator;
  constexpr auto inclusive = detail::scan_kind::inclusive;
  const auto twice = [](double x) { return 2 * x; };
  std::plus<> add;
  std::multiplies<> multiply;
  detail::as_it_is map;
  const std::vector<double> in(1);
  std::vector<double> out(1);
  detail::scan_work<inclusive, true, double, numbers, double*, std::plus<>, detail::as_it_is> sums{
      in.begin(), out.data(), add, map, true};
  const detail::
      scan_work<inclusive, true, double, numbers, double*, std::multiplies<>, detail::as_it_is>
          products{in.begin(), out.data(), multiply, map, true};
  const detail::scan_work<inclusive, true, double, numbers, double*, std::plus<>, decltype(twice)>
      of_mapped{in.begin(), out.data(), add, twice, true};
  ASSERT_NO_FATAL_FAILURE(prefer_streams());
  EXPECT_EQ(sums.reads_ahead(), detail::kernels::can_pass_caches(out.data()));
  EXPECT_FALSE(products.reads_ahead());
  EXPECT_FALSE(of_mapped.reads_ahead());
  sums.streams = false;
  EXPECT_FALSE(sums.reads_ahead());
  EXPECT_EQ(detail::scan_tile_size<double>(1U << 25U, 2, true), 1U << 15U);
  EXPECT_EQ(detail::scan_tile_size<double>(1U << 25U, 2, false), 1U << 14U);
}

TEST(InclusiveScan, by_one_worker_passes_the_caches) {
  ASSERT_NO_FATAL_FAILURE(prefer_streams());
  const auto greater = [](double x, double y) { return x < y ? y : x; };
  for (const int n : {1, 3}) {
    weft::runtime home(workers(n));
    home.run([&] {
      expect_past_caches(weft::par, n == 1, std::plus<>());
      expect_past_caches(weft::par, n == 1, greater);
    });
  }
}

TEST(InclusiveScan, reads_ahead_past_the_caches) {
  ASSERT_NO_FATAL_FAILURE(prefer_streams());
  const auto twice = [](auto x) { return x + x; };
  const auto greater = [](auto x, auto y) { return x < y ? y : x; };
  for (int round = 0; round < 5; ++round) {
    expect_scan_by_three<int>(std::plus<>(), detail::as_it_is());
    expect_scan_by_three<double>(std::plus<>(), detail::as_it_is());
    expect_scan_by_three<double>(std::plus<>(), twice);
    expect_scan_by_three<int>(greater, detail::as_it_is());
    // not commutative: what was told last, or 3
    expect_scan_by_three<short>([](short x, short y) { return y == 3 ? x : y; },
                                detail::as_it_is());
  }
}

TEST(InclusiveScan, past_the_caches_ends_where_an_operation_throws) {
  ASSERT_NO_FATAL_FAILURE(prefer_streams());
  const std::vector<int> in(1003, 1);
  std::vector<int> out(in.size());
  for (int allowed = 0; allowed < 2500; allowed += 149) {
    std::atomic<int> left = allowed;
    const auto add = [&left](int x, int y) {
      return left.fetch_sub(1) == 0 ? throw std::runtime_error("add") : x + y;
    };
    const int num_thrown = scan_by_three(in, out, add, detail::as_it_is());
    EXPECT_EQ(num_thrown, left < 0 ? 1 : 0) << allowed;
  }
}

TEST(InclusiveScan, runs_from_threads_at_once) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      std::vector<int> values(50000, i);
      for (int round = 0; round < 5; ++round) {
        std::fill(values.begin(), values.end(), i);
        weft::inclusive_scan(weft::par.with(weft::static_chunk_size{500}),
                             values.begin(),
                             values.end(),
                             values.begin());
        EXPECT_EQ(values.back(), 50000 * i);
      }
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
}

}  // namespace scan_test
