// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms that leave some elements, against the standard's, on few and many workers.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/copy_if.hpp"
#include "weft/algorithms/detail/kernels/compress.hpp"
#include "weft/algorithms/detail/kernels/keep_mask.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/remove.hpp"
#include "weft/algorithms/unique.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace compaction_test {

constexpr auto sizes = std::to_array<std::size_t>({0, 1, 2, 3, 63, 64, 65, 128, 1000, 8193, 30000});

/// Values 0 to 99: random, all equal, in runs, or in two halves.
enum class pattern : std::uint8_t { random, equal, runs, halves };
constexpr auto patterns =
    std::to_array<pattern>({pattern::random, pattern::equal, pattern::runs, pattern::halves});

int value_at(pattern p, std::size_t i, std::size_t n, std::mt19937& random) {
  switch (p) {
    case pattern::random:
      return static_cast<int>(random() % 100);
    case pattern::equal:
      return 50;
    case pattern::runs:
      return static_cast<int>(i / 97 % 100);
    case pattern::halves:
      break;
  }
  return i < n / 2 ? 10 : 90;
}

template <class T>
T made(int x) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(x) + std::string(20, 'x');  // longer than what a string holds itself
  } else {
    return static_cast<T>(x);
  }
}

template <class T>
std::vector<T> values_of(pattern p, std::size_t n) {
  std::mt19937 random(3);
  std::vector<T> values;
  values.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(made<T>(value_at(p, i, n, random)));
  }
  return values;
}

weft::runtime_options workers(int n) {
  weft::runtime_options options;
  options.workers = n;
  return options;
}

/// Calls `check(policy, values)` for policies that run alone, with others, and with more others
/// than processors. Tiles of strings have 2048: 8193 are several too.
template <class T, class Check>
void on_all_kinds(Check check) {
  weft::runtime home(workers(7));
  for (const pattern p : patterns) {
    for (const std::size_t n : sizes) {
      if (std::is_same_v<T, std::string> && n > 8193) {
        continue;
      }
      const std::vector<T> values = values_of<T>(p, n);
      check(weft::seq, values);
      check(weft::par, values);
      check(weft::par_unseq.on(home).with(weft::static_chunk_size{130}), values);
    }
  }
}

template <class T>
class Compaction : public testing::Test {
 protected:
  static bool is_small(const T& x) {
    static const T fifty = made<T>(50);
    return x < fifty;
  }
};
using element_types = testing::Types<int, double, std::string>;
TYPED_TEST_SUITE(Compaction, element_types);

TYPED_TEST(Compaction, copy_if_is_what_the_standard_does) {
  on_all_kinds<TypeParam>([this](const auto& policy, const std::vector<TypeParam>& in) {
    std::vector<TypeParam> expected;
    std::copy_if(in.begin(), in.end(), std::back_inserter(expected), this->is_small);
    std::vector<TypeParam> found(expected.size());  // not one more may be written
    EXPECT_EQ(weft::copy_if(policy, in.begin(), in.end(), found.begin(), this->is_small),
              found.end());
    ASSERT_EQ(found, expected);
  });
}

TYPED_TEST(Compaction, remove_copy_is_what_the_standard_does) {
  on_all_kinds<TypeParam>([this](const auto& policy, const std::vector<TypeParam>& in) {
    std::vector<TypeParam> expected;
    std::remove_copy_if(in.begin(), in.end(), std::back_inserter(expected), this->is_small);
    std::vector<TypeParam> found(expected.size());
    EXPECT_EQ(weft::remove_copy_if(policy, in.begin(), in.end(), found.begin(), this->is_small),
              found.end());
    ASSERT_EQ(found, expected);

    const auto fifty = made<TypeParam>(50);
    expected.clear();
    std::remove_copy(in.begin(), in.end(), std::back_inserter(expected), fifty);
    found.assign(expected.size(), TypeParam());
    EXPECT_EQ(weft::remove_copy(policy, in.begin(), in.end(), found.begin(), fifty), found.end());
    ASSERT_EQ(found, expected);
  });
}

TYPED_TEST(Compaction, remove_if_is_what_the_standard_does) {
  on_all_kinds<TypeParam>([this](const auto& policy, std::vector<TypeParam> in) {
    std::vector<TypeParam> expected = in;
    expected.erase(std::remove_if(expected.begin(), expected.end(), this->is_small),
                   expected.end());
    in.erase(weft::remove_if(policy, in.begin(), in.end(), this->is_small), in.end());
    ASSERT_EQ(in, expected);
  });
}

TYPED_TEST(Compaction, remove_is_what_the_standard_does) {
  on_all_kinds<TypeParam>([](const auto& policy, std::vector<TypeParam> in) {
    const auto fifty = made<TypeParam>(50);
    std::vector<TypeParam> expected = in;
    expected.erase(std::remove(expected.begin(), expected.end(), fifty), expected.end());
    in.erase(weft::remove(policy, in.begin(), in.end(), fifty), in.end());
    ASSERT_EQ(in, expected);
  });
}

TYPED_TEST(Compaction, unique_is_what_the_standard_does) {
  on_all_kinds<TypeParam>([](const auto& policy, std::vector<TypeParam> in) {
    std::vector<TypeParam> expected = in;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    in.erase(weft::unique(policy, in.begin(), in.end()), in.end());
    ASSERT_EQ(in, expected);
  });
}

TYPED_TEST(Compaction, unique_copy_is_what_the_standard_does) {
  on_all_kinds<TypeParam>([this](const auto& policy, const std::vector<TypeParam>& in) {
    const auto both = [this](const TypeParam& a, const TypeParam& b) {
      return this->is_small(a) == this->is_small(b);
    };
    std::vector<TypeParam> expected;
    std::unique_copy(in.begin(), in.end(), std::back_inserter(expected), both);
    std::vector<TypeParam> found(expected.size());
    EXPECT_EQ(weft::unique_copy(policy, in.begin(), in.end(), found.begin(), both), found.end());
    ASSERT_EQ(found, expected);
  });
}

/// A number that can be moved only.
struct lone {
  std::unique_ptr<int> number;
  bool operator==(const lone& other) const { return *number == *other.number; }
};

std::vector<lone> lone_values(std::size_t n) {
  std::vector<lone> values;
  for (const int x : values_of<int>(pattern::runs, n)) {
    values.push_back({std::make_unique<int>(x)});
  }
  return values;
}

TEST(Remove, moves_what_can_only_be_moved) {
  weft::runtime home(workers(3));
  const auto policy = weft::par.on(home).with(weft::static_chunk_size{130});
  std::vector<lone> values = lone_values(20000);
  values.erase(weft::unique(policy, values.begin(), values.end()), values.end());
  EXPECT_EQ(values.size(), (20000U + 96) / 97);
  const auto is_odd = [](const lone& x) { return *x.number % 2 != 0; };
  values.erase(weft::remove_if(policy, values.begin(), values.end(), is_odd), values.end());
  EXPECT_TRUE(std::none_of(values.begin(), values.end(), is_odd));
}

TEST(RemoveIf, applies_a_predicate_once_to_each_element) {
  weft::runtime home(workers(3));
  std::vector<int> values(30000, 1);
  std::atomic<std::size_t> count{0};
  weft::remove_if(weft::par.on(home), values.begin(), values.end(), [&count](int x) {
    count.fetch_add(1, std::memory_order_relaxed);
    return x == 0;
  });
  EXPECT_EQ(count.load(), values.size());
}

TEST(RemoveIf, takes_lists_and_bits) {
  std::forward_list<int> list{1, 2, 3, 4};
  const auto is_even = [](int x) { return x % 2 == 0; };
  EXPECT_EQ(
      std::distance(list.begin(), weft::remove_if(weft::par, list.begin(), list.end(), is_even)),
      2);
  std::vector<bool> bits(1000, true);
  std::vector<bool> copies(1000, false);
  bits[5] = false;
  EXPECT_EQ(
      weft::copy_if(weft::par, bits.begin(), bits.end(), copies.begin(), [](bool b) { return b; }),
      copies.begin() + 999);
  EXPECT_EQ(weft::remove(weft::par, bits.begin(), bits.end(), false), bits.begin() + 999);
}

TEST(RemoveIf, rethrows_and_loses_no_element_that_others_own) {
  weft::runtime home(workers(3));
  const auto policy = weft::par.on(home).with(weft::static_chunk_size{64});
  for (const std::size_t where : {0UL, 1UL, 700UL, 2999UL}) {
    std::vector<std::string> values = values_of<std::string>(pattern::random, 3000);
    std::vector<std::string> copies(values.size());
    values[where] = "bad";
    const auto check = [](const std::string& s) {
      return s == "bad" ? throw std::runtime_error(s) : s < "5";
    };
    EXPECT_THROW(weft::copy_if(policy, values.begin(), values.end(), copies.begin(), check),
                 std::runtime_error);
    EXPECT_THROW(weft::remove_if(policy, values.begin(), values.end(), check), std::runtime_error);
    EXPECT_EQ(values.size(), 3000U);
  }
}

TEST(StreamWords, copies_what_masks_keep_wherever_lines_begin) {
  namespace detail = weft::algorithms::detail;
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> masks(200);
  for (std::size_t i = 0; i < masks.size(); ++i) {
    masks[i] = i % 7 == 0 ? 0 : i % 11 == 0 ? detail::full_mask : random() & random();
  }
  std::vector<double> in(masks.size() * detail::mask_width);
  std::iota(in.begin(), in.end(), 0.0);
  for (std::size_t offset = 0; offset < 9; ++offset) {
    for (const std::size_t num_masks : {0UL, 1UL, 2UL, 40UL, 200UL}) {
      const detail::mask_words which{
          masks.data(), num_masks, offset % 2 == 0 ? 0 : detail::full_mask};
      std::vector<double> expected(in.size() + offset, -1);
      std::vector<double> found = expected;
      double* out = expected.data() + offset;
      for (std::size_t i = 0; i < num_masks * detail::mask_width; ++i) {
        if (((which.masks[i / detail::mask_width] ^ which.flip) >> i % detail::mask_width & 1U) !=
            0) {
          *out++ = in[i];
        }
      }
      double* const end = detail::stream_words(in.data(), which, found.data() + offset);
      detail::stream_fence();
      EXPECT_EQ(end - found.data(), out - expected.data());
      ASSERT_EQ(found, expected);
      std::fill(found.begin(), found.end(), -1);
      detail::copy_words(in.data(), which, found.data() + offset);
      ASSERT_EQ(found, expected);
    }
  }
}

TEST(CopyIf, gives_a_future) {
  std::vector<int> values = values_of<int>(pattern::halves, 1000);
  std::vector<int> copies(1000);
  auto end = weft::copy_if(
      weft::par(weft::as_future), values.begin(), values.end(), copies.begin(), [](int x) {
        return x < 50;
      });
  EXPECT_EQ(end.get(), copies.begin() + 500);
}

}  // namespace compaction_test
