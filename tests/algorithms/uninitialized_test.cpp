// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// uninitialized_*, destroy and destroy_n: what exists afterwards, with and without an exception.
#include "weft/algorithms/uninitialized.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/destroy.hpp"

#include "algorithms/map_support.hpp"

namespace uninitialized_test {

using weft::test::sizes;
using weft::test::watched;

class Uninitialized : public weft::test::on_workers {};

/// Memory for n objects that exist only where somebody made them.
template <class T>
class raw_memory {
 public:
  explicit raw_memory(std::size_t n) : n_(n), first_(std::allocator<T>{}.allocate(n + 1)) {}
  raw_memory(const raw_memory&) = delete;
  raw_memory& operator=(const raw_memory&) = delete;
  ~raw_memory() { std::allocator<T>{}.deallocate(first_, n_ + 1); }
  [[nodiscard]] T* begin() const noexcept { return first_; }
  [[nodiscard]] T* end() const noexcept { return first_ + n_; }

 private:
  std::size_t n_;
  T* first_;
};

std::vector<int> numbers(std::size_t n) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST_P(Uninitialized, constructs_as_std_does) {
  const auto holds = [](const watched* first, const std::vector<int>& values) {
    return std::equal(values.begin(), values.end(), first, [](int x, const watched& y) {
      return x == y.value();
    });
  };
  for (const std::size_t n : sizes) {
    watched::reset();
    const auto values = numbers(n);
    const raw_memory<watched> a(n);
    const raw_memory<watched> b(n);

    ASSERT_EQ(weft::uninitialized_copy(chunked(), values.begin(), values.end(), a.begin()),
              a.end());
    ASSERT_TRUE(holds(a.begin(), values));
    const auto ends = weft::uninitialized_move_n(chunked(), a.begin(), n, b.begin());
    ASSERT_EQ(ends.first, a.end());
    ASSERT_EQ(ends.second, b.end());
    ASSERT_TRUE(holds(b.begin(), values));
    ASSERT_TRUE(holds(a.begin(), std::vector<int>(n, -1)));
    ASSERT_EQ(weft::destroy_n(chunked(), a.begin(), n), a.end());
    ASSERT_EQ(weft::uninitialized_fill_n(chunked(), a.begin(), n, 5), a.end());
    ASSERT_TRUE(holds(a.begin(), std::vector<int>(n, 5)));
    weft::destroy(chunked(), a.begin(), a.end());
    weft::uninitialized_default_construct(chunked(), a.begin(), a.end());
    ASSERT_TRUE(holds(a.begin(), std::vector<int>(n, 0)));
    ASSERT_EQ(watched::alive, static_cast<int>(2 * n));
    weft::destroy(chunked(), a.begin(), a.end());
    weft::destroy(chunked(), b.begin(), b.end());
    ASSERT_EQ(watched::alive, 0);
  }
}

TEST_P(Uninitialized, numbers_are_bytes) {
  for (const std::size_t n : sizes) {
    const auto values = numbers(n);
    const raw_memory<int> a(n);

    ASSERT_EQ(weft::uninitialized_copy_n(chunked(), values.begin(), n, a.begin()), a.end());
    ASSERT_TRUE(std::equal(values.begin(), values.end(), a.begin()));
    ASSERT_EQ(weft::uninitialized_default_construct_n(chunked(), a.begin(), n), a.end());
    ASSERT_TRUE(std::equal(values.begin(), values.end(), a.begin()));
    ASSERT_EQ(weft::uninitialized_value_construct_n(chunked(), a.begin(), n), a.end());
    ASSERT_EQ(std::count(a.begin(), a.end(), 0), static_cast<std::ptrdiff_t>(n));
    weft::uninitialized_fill(chunked(), a.begin(), a.end(), 4);
    ASSERT_EQ(std::count(a.begin(), a.end(), 4), static_cast<std::ptrdiff_t>(n));
    ASSERT_EQ(weft::uninitialized_move(chunked(), values.begin(), values.end(), a.begin()),
              a.end());
    ASSERT_TRUE(std::equal(values.begin(), values.end(), a.begin()));
    weft::destroy(chunked(), a.begin(), a.end());
  }
}

TEST_P(Uninitialized, nothing_is_left_when_a_constructor_throws) {
  const std::size_t n = 4000;
  const auto values = numbers(n);
  for (const int bad : {0, 1, 36, 37, 38, 2000, 3999}) {
    const raw_memory<watched> a(n);

    watched::reset(bad);
    EXPECT_THROW(weft::uninitialized_copy(chunked(), values.begin(), values.end(), a.begin()),
                 std::runtime_error);
    EXPECT_EQ(watched::alive, 0) << bad;

    watched::reset(bad);
    EXPECT_THROW(weft::uninitialized_value_construct(chunked(), a.begin(), a.end()),
                 std::runtime_error);
    EXPECT_EQ(watched::alive, 0) << bad;
  }
}

TEST_P(Uninitialized, destroys_every_object) {
  watched::reset();
  const raw_memory<watched> a(100'000);
  std::uninitialized_default_construct(a.begin(), a.end());

  weft::destroy(measured(), a.begin(), a.end());

  EXPECT_EQ(watched::alive, 0);
}

INSTANTIATE_TEST_SUITE_P(workers, Uninitialized, testing::Values(1, 2, 7));

}  // namespace uninitialized_test
