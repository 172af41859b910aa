// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms that take memory where there is none, and those that were asked to take none.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <latch>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "weft/algorithms/detail/block_sort.hpp"
#include "weft/algorithms/inplace_merge.hpp"
#include "weft/algorithms/nth_element.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/partial_sort.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/set_operations.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/algorithms/stable_sort.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/sort_support.hpp"

namespace {

std::atomic<std::size_t> fails_from_bytes{SIZE_MAX};
std::atomic<std::size_t> most_bytes{0};  // of one piece
std::atomic<std::size_t> held_bytes{0};
std::atomic<std::size_t> most_held_bytes{0};

void raise(std::atomic<std::size_t>& most, std::size_t to) noexcept {
  std::size_t now = most;
  while (now < to && !most.compare_exchange_weak(now, to)) {
  }
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes >= fails_from_bytes) {
    return nullptr;
  }
  raise(most_bytes, bytes);
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment;
  void* const memory = std::aligned_alloc(alignment, whole * alignment);
  const std::size_t usable = malloc_usable_size(memory);
  raise(most_held_bytes, held_bytes.fetch_add(usable) + usable);
  return memory;
}

void release(void* memory) noexcept {
  held_bytes -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// Not inlined, or the compiler would see malloc's memory where it expects that of operator new.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
[[gnu::noinline]] void* operator new(std::size_t bytes,
                                     std::align_val_t alignment,
                                     const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const memory = allocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* const memory = allocate(bytes, static_cast<std::size_t>(alignment));
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory,
                                       std::size_t /*bytes*/,
                                       std::align_val_t /*alignment*/) noexcept {
  release(memory);
}

namespace {

using weft::test::all_patterns;
using weft::test::numbers;
using weft::test::pattern;
using weft::test::values_of;
using weft::test::workers;

constexpr std::size_t little_bytes = std::size_t{16} << 10U;

/// While it lives, nothing of `little_bytes` or more can be had.
class short_memory {
 public:
  short_memory() noexcept { fails_from_bytes = little_bytes; }
  ~short_memory() { fails_from_bytes = SIZE_MAX; }
  short_memory(const short_memory&) = delete;
  short_memory& operator=(const short_memory&) = delete;
  short_memory(short_memory&&) = delete;
  short_memory& operator=(short_memory&&) = delete;
};

class ShortMemory : public testing::TestWithParam<std::size_t> {
 protected:
  weft::runtime home{workers(GetParam())};

  /// All workers have what they need before memory is short.
  void SetUp() override {
    std::latch all(static_cast<std::ptrdiff_t>(GetParam()));
    std::vector<std::thread> callers;
    callers.reserve(GetParam());
    for (std::size_t i = 0; i < GetParam(); ++i) {
      callers.emplace_back([this, &all] { home.run([&all] { all.arrive_and_wait(); }); });
    }
    for (std::thread& each : callers) {
      each.join();
    }
  }
};

template <class T, class Policy>
void expect_sorts(const Policy& policy, bool is_short) {
  for (const pattern which : all_patterns) {
    const std::vector<T> original = values_of<T>(numbers(which, 6000));
    std::vector<T> expected = original;
    std::sort(expected.begin(), expected.end());
    std::vector<T> values = original;
    std::vector<T> stably = original;
    std::vector<T> merged = original;
    const auto middle = merged.begin() + 2000;
    std::sort(merged.begin(), middle);
    std::sort(middle, merged.end());
    {
      const std::unique_ptr<short_memory> none(is_short ? new short_memory : nullptr);
      weft::sort(policy, values.begin(), values.end());
      weft::stable_sort(policy, stably.begin(), stably.end());
      weft::inplace_merge(policy, merged.begin(), middle, merged.end());
    }
    ASSERT_EQ(values, expected);
    ASSERT_EQ(stably, expected);
    ASSERT_EQ(merged, expected);
  }
}

TEST_P(ShortMemory, sorts_and_merges_do_with_less) {
  expect_sorts<double>(weft::par.on(home), true);
  expect_sorts<std::string>(weft::par.on(home), true);
}

TEST_P(ShortMemory, in_place_takes_nothing_that_grows) {
  expect_sorts<double>(weft::par.on(home).with(weft::in_place), false);
  expect_sorts<std::string>(weft::par.on(home).with(weft::in_place), false);
  std::vector<std::string> words = values_of<std::string>(numbers(pattern::random, 30'000));
  std::vector<int> ascending = numbers(pattern::sorted, 30'000);
  std::rotate(ascending.begin(), ascending.begin() + 9999, ascending.end());

  most_bytes = 0;
  weft::sort(weft::par.on(home).with(weft::in_place), words.begin(), words.end());
  weft::inplace_merge(weft::par.on(home).with(weft::in_place),
                      ascending.begin(),
                      ascending.end() - 9999,
                      ascending.end());

  EXPECT_LT(most_bytes, little_bytes * GetParam());
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  EXPECT_TRUE(std::is_sorted(ascending.begin(), ascending.end()));
}

TEST_P(ShortMemory, in_place_takes_buffers_for_large_ranges_alone) {
  std::vector<std::string> words = values_of<std::string>(numbers(pattern::random, 140'000));
  const std::size_t held = held_bytes;
  most_held_bytes = held;
  weft::sort(weft::par.on(home).with(weft::in_place), words.begin(), words.end());
  EXPECT_LT(most_held_bytes - held, (std::size_t{512} << 10U) * GetParam());
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));

  std::vector<std::string> too = values_of<std::string>(numbers(pattern::random, 140'000, 2));
  {
    const short_memory none;
    weft::sort(weft::par.on(home).with(weft::in_place), too.begin(), too.end());
  }
  EXPECT_TRUE(std::is_sorted(too.begin(), too.end()));
}

/// 20,017 strings: into 16 buckets, of which those of 64 KiB or more are sorted by blocks again.
template <class Compare>
[[nodiscard]] bool sort_by_blocks(weft::runtime& home,
                                  std::vector<std::string>& words,
                                  Compare& comp) {
  constexpr std::size_t deep_bytes = std::size_t{64} << 10U;
  const auto how = weft::par.on(home).with(weft::in_place);
  return weft::algorithms::detail::block_sort<std::remove_const_t<decltype(how)>,
                                              std::vector<std::string>::iterator,
                                              Compare,
                                              deep_bytes>(how, words.begin(), words.size(), comp)
      .run();
}

TEST_P(ShortMemory, buckets_are_sorted_by_blocks_where_there_is_memory_for_them) {
  const std::vector<std::string> original =
      values_of<std::string>(numbers(pattern::random, 20'017));
  std::vector<std::string> words = original;
  std::atomic<std::size_t> num_compared{0};
  const auto until_short = [&](const std::string& a, const std::string& b) {
    if (++num_compared == 2 * words.size()) {  // the first round has all that it wants
      fails_from_bytes = 4096;
    }
    return a < b;
  };
  EXPECT_TRUE(sort_by_blocks(home, words, until_short));
  fails_from_bytes = SIZE_MAX;
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));

  words = original;
  const std::size_t held = held_bytes;
  most_held_bytes = held;
  std::less<> whole;
  EXPECT_TRUE(sort_by_blocks(home, words, whole));
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  // What the first round has is given back before buckets take as much.
  EXPECT_LT(most_held_bytes - held,
            (std::size_t{40} << 10U) + (std::size_t{64} << 10U) * GetParam());
}

TEST_P(ShortMemory, what_selects_and_joins_does_with_less) {
  const auto policy = weft::par.on(home);
  const std::vector<int> original = numbers(pattern::random, 20'000);
  std::vector<int> sorted = original;
  std::sort(sorted.begin(), sorted.end());
  const std::vector<int> half = numbers(pattern::sorted, 20'000);
  std::vector<int> selected = original;
  std::vector<int> least(5000);
  std::vector<int> parted = original;
  std::vector<int> both(sorted.size() + half.size());
  std::vector<int> expected(both.size());
  const auto is_even = [](int x) { return x % 2 == 0; };
  {
    const short_memory none;
    weft::nth_element(policy, selected.begin(), selected.begin() + 777, selected.end());
    weft::partial_sort_copy(policy, original.begin(), original.end(), least.begin(), least.end());
    weft::stable_partition(policy, parted.begin(), parted.end(), is_even);
    both.erase(weft::set_union(
                   policy, sorted.begin(), sorted.end(), half.begin(), half.end(), both.begin()),
               both.end());
  }
  EXPECT_EQ(selected[777], sorted[777]);
  EXPECT_TRUE(std::equal(least.begin(), least.end(), sorted.begin()));
  std::vector<int> parted_too;
  std::copy_if(original.begin(), original.end(), std::back_inserter(parted_too), is_even);
  std::copy_if(
      original.begin(), original.end(), std::back_inserter(parted_too), std::not_fn(is_even));
  EXPECT_EQ(parted, parted_too);
  expected.erase(
      std::set_union(sorted.begin(), sorted.end(), half.begin(), half.end(), expected.begin()),
      expected.end());
  EXPECT_EQ(both, expected);
}

INSTANTIATE_TEST_SUITE_P(workers, ShortMemory, testing::Values(1U, 2U, 7U));

}  // namespace
