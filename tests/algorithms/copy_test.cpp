// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy, copy_n, move, fill, fill_n, generate, generate_n, and the streaming stores below them.
#include "weft/algorithms/copy.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/fill.hpp"
#include "weft/algorithms/generate.hpp"
#include "weft/algorithms/policy.hpp"

#include "algorithms/map_support.hpp"

namespace copy_test {

namespace detail = weft::algorithms::detail;
using weft::test::counted;
using weft::test::sizes;

class Copy : public weft::test::on_workers {};

TEST_P(Copy, copies_as_std_does) {
  for (const std::size_t n : sizes) {
    const auto in = counted<double>(n);
    std::vector<double> out(n + 1, -1.0);
    std::vector<double> out_n(n + 1, -1.0);
    std::vector<float> converted(n + 1, -1.0F);

    const auto end = weft::copy(chunked(), in.begin(), in.end(), out.begin());
    const auto end_n = weft::copy_n(chunked(), in.begin(), n, out_n.begin());
    weft::copy(chunked(), in.begin(), in.end(), converted.begin());

    ASSERT_EQ(end - out.begin(), static_cast<std::ptrdiff_t>(n));
    ASSERT_EQ(end_n - out_n.begin(), static_cast<std::ptrdiff_t>(n));
    ASSERT_TRUE(std::equal(in.begin(), in.end(), out.begin()));
    ASSERT_TRUE(std::equal(in.begin(), in.end(), out_n.begin()));
    ASSERT_TRUE(std::equal(in.begin(), in.end(), converted.begin()));
    ASSERT_EQ(out.back(), -1.0);
    ASSERT_EQ(out_n.back(), -1.0);
    ASSERT_EQ(converted.back(), -1.0F);
  }
}

TEST_P(Copy, copies_more_than_the_last_level_cache_holds) {
  const std::size_t n = detail::last_level_cache_bytes() / sizeof(std::uint32_t) + 4097;
  if (n > (std::size_t{32} << 20U)) {
    GTEST_SKIP() << "the last-level cache is larger than a test should be";
  }
  std::vector<std::uint32_t> in(n);
  std::vector<std::uint32_t> out(n);

  weft::generate(measured(), in.begin() + 1, in.end(), [] { return 17U; });
  weft::fill(measured(), out.begin() + 3, out.end(), 4U);
  EXPECT_TRUE(std::all_of(in.begin() + 1, in.end(), [](std::uint32_t x) { return x == 17; }));
  EXPECT_TRUE(std::all_of(out.begin() + 3, out.end(), [](std::uint32_t x) { return x == 4; }));
  in[n / 2] = 5;
  weft::copy(measured(), in.begin(), in.end(), out.begin());

  EXPECT_EQ(in, out);
}

TEST_P(Copy, moves_what_can_only_be_moved) {
  for (const std::size_t n : sizes) {
    std::vector<std::unique_ptr<int>> in(n);
    std::generate(in.begin(), in.end(), [i = 0]() mutable { return std::make_unique<int>(i++); });
    std::vector<std::unique_ptr<int>> out(n);

    const auto end = weft::move(chunked(), in.begin(), in.end(), out.begin());

    ASSERT_EQ(end, out.end());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(in[i], nullptr);
      ASSERT_EQ(*out[i], static_cast<int>(i));
    }
  }
}

TEST_P(Copy, fills_every_element) {
  for (const std::size_t n : sizes) {
    std::vector<double> numbers(n + 1, -1.0);
    std::vector<std::string> words(n + 1, "left");

    weft::fill(chunked(), numbers.begin(), numbers.end() - 1, 3);
    const auto end = weft::fill_n(chunked(), words.begin(), n, std::string("filled, not moved"));

    ASSERT_EQ(std::count(numbers.begin(), numbers.end() - 1, 3.0), static_cast<std::ptrdiff_t>(n));
    ASSERT_EQ(std::count(words.begin(), end, "filled, not moved"), static_cast<std::ptrdiff_t>(n));
    ASSERT_EQ(numbers.back(), -1.0);
    ASSERT_EQ(words.back(), "left");
  }
}

TEST_P(Copy, generates_one_value_per_element) {
  for (const std::size_t n : sizes) {
    std::vector<int> all(n + 1, -1);
    std::vector<int> some(n + 1, -1);
    std::atomic<int> next{0};

    weft::generate(chunked(), all.begin(), all.end() - 1, [&] { return next++; });
    const auto end = weft::generate_n(chunked(), some.begin(), n, [] { return 7; });

    std::sort(all.begin(), all.end());
    for (std::size_t i = 0; i <= n; ++i) {
      ASSERT_EQ(all[i], static_cast<int>(i) - 1);
    }
    ASSERT_EQ(std::count(some.begin(), end, 7), static_cast<std::ptrdiff_t>(n));
    ASSERT_EQ(some.back(), -1);
  }
}

TEST_P(Copy, an_exception_of_the_generator_comes_back) {
  std::vector<int> out(5000);
  for (const int bad : {0, 1, 36, 37, 4999}) {
    std::atomic<int> calls{0};
    EXPECT_THROW(weft::generate(chunked(),
                                out.begin(),
                                out.end(),
                                [&] {
                                  if (calls++ == bad) {
                                    throw std::runtime_error("generator");
                                  }
                                  return 1;
                                }),
                 std::runtime_error);
  }
}

TEST_P(Copy, packed_bits_are_written_by_one_thread) {
  std::vector<bool> in(20'011);
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = i % 3 == 0;
  }
  std::vector<bool> out(in.size());

  weft::copy(chunked(), in.begin(), in.end(), out.begin());
  EXPECT_EQ(in, out);

  weft::fill(chunked(), out.begin(), out.end(), true);
  EXPECT_EQ(std::count(out.begin(), out.end(), true), 20'011);
}

TEST_P(Copy, forward_iterators_will_do) {
  const std::forward_list<int> in{1, 2, 3};
  std::forward_list<int> out{0, 0, 0, 4};

  const auto end = weft::copy(chunked(), in.begin(), in.end(), out.begin());
  EXPECT_EQ(*end, 4);
  EXPECT_EQ(out, (std::forward_list<int>{1, 2, 3, 4}));

  weft::fill(chunked(), out.begin(), out.end(), 9);
  EXPECT_EQ(out, (std::forward_list<int>{9, 9, 9, 9}));
}

TEST_P(Copy, a_count_below_one_is_nothing) {
  std::vector<int> out{1};
  EXPECT_EQ(weft::fill_n(chunked(), out.begin(), -1, 2), out.begin());
  EXPECT_EQ(weft::copy_n(chunked(), out.begin(), 0, out.begin()), out.begin());
  EXPECT_EQ(out[0], 1);
}

INSTANTIATE_TEST_SUITE_P(workers, Copy, testing::Values(1, 2, 7));

TEST(Streaming, keeps_to_the_faster_way) {
  using detail::stream_trial;
  constexpr std::size_t part = stream_trial::turn_bytes / 4;
  struct example {
    detail::stream_kind kind;
    std::uint64_t plain_percent;  // of the time that streaming takes
    stream_trial::choice expected;
  };
  constexpr auto plain = stream_trial::choice::plain;
  constexpr auto streamed = stream_trial::choice::streamed;
  for (const example& each : {example{detail::stream_kind::fill, 88, plain},
                              example{detail::stream_kind::fill, 92, streamed},
                              example{detail::stream_kind::clear, 88, plain},
                              example{detail::stream_kind::clear, 92, streamed},
                              example{detail::stream_kind::compact, 88, plain},
                              example{detail::stream_kind::compact, 92, streamed},
                              example{detail::stream_kind::copy, 68, plain},
                              example{detail::stream_kind::copy, 72, streamed},
                              example{detail::stream_kind::map, 68, plain},
                              example{detail::stream_kind::map, 72, streamed},
                              example{detail::stream_kind::scan, 68, plain},
                              example{detail::stream_kind::scan, 72, streamed}}) {
    stream_trial trial(each.kind);
    for (std::size_t i = 0; i < 4 * stream_trial::num_turns; ++i) {
      ASSERT_EQ(trial.verdict(), stream_trial::choice::open);
      const std::size_t turn = trial.join(part);
      const std::uint64_t disturbance = i < 8 ? 500 : 0;
      trial.note(turn,
                 part,
                 part * ((stream_trial::streams(turn) ? 100 : each.plain_percent) + disturbance));
    }
    EXPECT_EQ(trial.verdict(), each.expected) << each.plain_percent;
  }
}

TEST(Streaming, fills_every_byte_at_every_alignment) {
  std::array<std::byte, detail::cache_line_bytes> line{};
  for (std::size_t i = 0; i < line.size(); ++i) {
    line[i] = static_cast<std::byte>(i);
  }
  for (std::size_t shift = 0; shift < 66; ++shift) {
    for (const std::size_t n : {0UL, 1UL, 63UL, 64UL, 65UL, 127UL, 128UL, 300UL, 900UL}) {
      std::vector<std::byte> to(1024, std::byte{255});
      detail::stream_fill(to.data() + shift, line, n);
      detail::stream_fence();
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(to[shift + i], line[i % line.size()]) << shift << ", " << n << ", " << i;
      }
      ASSERT_EQ(std::count(to.begin(), to.end(), std::byte{255}),
                static_cast<std::ptrdiff_t>(1024 - n));
    }
  }
}

TEST(Streaming, clears_every_byte_at_every_alignment) {
  for (std::size_t shift = 0; shift < 66; ++shift) {
    for (const std::size_t n : {0UL, 1UL, 63UL, 64UL, 65UL, 127UL, 128UL, 300UL, 900UL}) {
      std::vector<unsigned char> to(1024, 255);
      detail::stream_clear(to.data() + shift, n);
      detail::stream_fence();
      const auto begin = to.begin() + static_cast<std::ptrdiff_t>(shift);
      ASSERT_EQ(std::count(begin, begin + static_cast<std::ptrdiff_t>(n), 0),
                static_cast<std::ptrdiff_t>(n))
          << shift << ", " << n;
      ASSERT_EQ(std::count(to.begin(), to.end(), 255), static_cast<std::ptrdiff_t>(1024 - n));
    }
  }
}

TEST(Streaming, zeros_of_both_signs_fill_what_is_larger_than_the_last_cache) {
  const std::size_t n = detail::last_level_cache_bytes() / sizeof(double);
  std::vector<double> values(n + 9, 1.0);
  const auto inner = values.begin() + 1;
  const auto end = values.end() - 1;
  for (const double value : {0.0, -0.0, 0.0}) {
    weft::fill(weft::par, inner, end, value);
    ASSERT_TRUE(std::all_of(inner, end, [value](double each) {
      return each == 0.0 && std::signbit(each) == std::signbit(value);
    }));
  }
  EXPECT_EQ(values.front(), 1.0);
  EXPECT_EQ(values.back(), 1.0);
}

TEST(Streaming, copies_every_byte_at_every_alignment) {
  std::vector<unsigned char> from(1024);
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<unsigned char>(i % 251);
  }
  for (std::size_t shift = 0; shift < 66; ++shift) {
    for (const std::size_t n : {0UL, 1UL, 63UL, 64UL, 65UL, 127UL, 128UL, 300UL, 900UL}) {
      std::vector<unsigned char> to(1024, 255);
      detail::stream_copy(to.data() + shift, from.data() + shift / 3, n);
      detail::stream_fence();
      ASSERT_TRUE(std::equal(to.begin() + static_cast<std::ptrdiff_t>(shift),
                             to.begin() + static_cast<std::ptrdiff_t>(shift + n),
                             from.begin() + static_cast<std::ptrdiff_t>(shift / 3)));
      ASSERT_EQ(std::count(to.begin(), to.end(), 255), static_cast<std::ptrdiff_t>(1024 - n));
    }
  }
}

}  // namespace copy_test
