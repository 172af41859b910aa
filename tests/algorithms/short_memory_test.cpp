// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms that take memory where there is none, and those that were asked to take none.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <latch>
#include <list>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "weft/algorithms/copy_if.hpp"
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/destroy.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/sorting/block_sort.hpp"
#include "weft/algorithms/fill.hpp"
#include "weft/algorithms/for_loop.hpp"
#include "weft/algorithms/histogram.hpp"
#include "weft/algorithms/inplace_merge.hpp"
#include "weft/algorithms/min_max.hpp"
#include "weft/algorithms/nth_element.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/partial_sort.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/reduce_by_key.hpp"
#include "weft/algorithms/remove.hpp"
#include "weft/algorithms/rotate.hpp"
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/set_operations.hpp"
#include "weft/algorithms/shift.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/algorithms/sort_by_key.hpp"
#include "weft/algorithms/stable_sort.hpp"
#include "weft/algorithms/transform.hpp"
#include "weft/algorithms/uninitialized.hpp"
#include "weft/algorithms/unique.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/item_support.hpp"
#include "algorithms/proxy_support.hpp"
#include "algorithms/sort_support.hpp"

namespace {

std::atomic<std::size_t> fails_from_bytes{SIZE_MAX};
std::atomic<std::size_t> num_refused{0};
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
    ++num_refused;
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
[[gnu::noinline]] void* operator new[](std::size_t bytes,
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
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept { release(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t /*bytes*/) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::align_val_t /*alignment*/) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete[](void* memory,
                                         std::size_t /*bytes*/,
                                         std::align_val_t /*alignment*/) noexcept {
  release(memory);
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

/// While it lives, nothing of so many bytes or more can be had.
class short_memory {
 public:
  explicit short_memory(std::size_t from_bytes = little_bytes) noexcept {
    fails_from_bytes = from_bytes;
  }
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

TEST_P(ShortMemory,
       merges_of_many_numbers_take_what_the_first_range_does_and_less_where_it_is_short) {
  constexpr std::size_t n = (std::size_t{1} << 18U) + 1;
  constexpr std::size_t room_bytes = std::size_t{128} << 10U;  // for one worker
  const std::vector<double> original = weft::test::two_ascending(n / 16, n);
  const auto num_first = static_cast<std::ptrdiff_t>(n / 16);
  std::vector<double> expected(n);
  std::merge(original.begin(),
             original.begin() + num_first,
             original.begin() + num_first,
             original.end(),
             expected.begin());
  for (const std::size_t from_bytes : {SIZE_MAX, room_bytes + room_bytes / 2, little_bytes}) {
    std::vector<double> values = original;
    most_held_bytes = held_bytes.load();
    const std::size_t held = held_bytes;
    {
      const short_memory none(from_bytes);
      weft::inplace_merge(
          weft::par.on(home), values.begin(), values.begin() + num_first, values.end());
    }
    EXPECT_TRUE(values == expected) << from_bytes;
    EXPECT_LT(most_held_bytes - held, n / 16 * sizeof(double) + (GetParam() + 2) * room_bytes);
  }
}

/// A string that takes as many bytes as an element may that is sorted by blocks.
struct wide_word {
  wide_word(int x) : word(std::to_string(x)) {}
  std::string word;
  std::array<char, 256 - sizeof(std::string)> ballast{};
  friend bool operator<(const wide_word& a, const wide_word& b) { return a.word < b.word; }
};
static_assert(sizeof(wide_word) == 256);

TEST_P(ShortMemory, in_place_takes_buffers_for_large_ranges_alone) {
  constexpr std::size_t n = 18'000;
  static_assert(n * sizeof(wide_word) > std::size_t{4} << 20U);  // large
  std::vector<wide_word> words = values_of<wide_word>(numbers(pattern::random, n));
  const std::size_t held = held_bytes;
  most_held_bytes = held;
  weft::sort(weft::par.on(home).with(weft::in_place), words.begin(), words.end());
  EXPECT_LT(most_held_bytes - held, (std::size_t{512} << 10U) * GetParam());
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));

  std::vector<wide_word> too = values_of<wide_word>(numbers(pattern::random, n, 2));
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

/// An int whose construction might throw, for all that is known.
struct named {
  named(int x) : value(x) {}  // NOLINT(google-explicit-constructor): as elements are made
  named(const named&) = delete;
  named& operator=(const named&) = delete;
  ~named() { value = -1; }
  int value;
};

/// What algorithms make of some numbers. Finding it takes no memory but theirs.
struct findings {
  explicit findings(const std::vector<int>& numbers)
      : in(numbers), keys(numbers), values(numbers), room(numbers.size() * sizeof(named)) {
    copies.fill(numbers);
  }
  bool operator==(const findings& other) const {
    return found == other.found && keys == other.keys && values == other.values &&
           copies == other.copies;
  }

  template <class How>
  void count(const How& how) {
    found[0] = weft::reduce(how, in.begin(), in.end(), 0L);
    found[1] = weft::count_if(how, in.begin(), in.end(), is_odd);
    found[2] = weft::minmax_element(how, in.begin(), in.end()).second - in.begin();
    weft::for_loop(
        how, 0, 20'000, weft::reduction_plus(found[3]), [](int i, long& sum) { sum += i; });
    weft::histogram(how, in.begin(), in.end(), 5'000, 0, 5'000, copies[0].begin());
  }
  template <class How>
  void write(const How& how) {
    weft::inclusive_scan(how, in.begin(), in.end(), copies[1].begin());
    weft::copy_if(how, in.begin(), in.end(), copies[2].begin(), is_odd);
    weft::partition_copy(how, in.begin(), in.end(), copies[3].begin(), copies[4].begin(), is_odd);
    auto* const objects = reinterpret_cast<named*>(room.data());
    weft::uninitialized_copy(how, in.begin(), in.end(), objects);
    weft::transform(how, objects, objects + in.size(), copies[5].begin(), [](const named& x) {
      return x.value;
    });
    weft::destroy(how, objects, objects + in.size());
    weft::reduce_by_key(
        how, in.begin(), in.end(), copies[5].begin(), copies[6].begin(), copies[7].begin());
  }
  template <class How>
  void move(const How& how) {
    weft::rotate(how, copies[1].begin(), copies[1].begin() + 6'001, copies[1].end());
    weft::fill_n(how, weft::shift_left(how, copies[1].begin(), copies[1].end(), 5), 5, 0);
    weft::fill(how, weft::unique(how, copies[3].begin(), copies[3].end()), copies[3].end(), 0);
    weft::fill(
        how, weft::remove_if(how, copies[4].begin(), copies[4].end(), is_odd), copies[4].end(), 0);
    weft::sort_by_key(how, keys.begin(), keys.end(), values.begin());
  }

  static bool is_odd(int x) { return x % 2 != 0; }

  std::vector<int> in;
  std::vector<int> keys;
  std::vector<int> values;
  std::array<std::vector<int>, 8> copies;
  std::array<long, 4> found{};
  std::vector<std::byte> room;
};

TEST_P(ShortMemory, all_else_that_takes_some_does_with_less) {
  std::vector<int> in = numbers(pattern::random, 20'000);
  std::ranges::for_each(in, [](int& x) { x %= 700; });
  findings expected(in);
  const auto find_all = [](findings& all, const auto& how) {
    all.count(how);
    all.write(how);
    all.move(how);
  };
  find_all(expected, weft::seq);
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{1024}, little_bytes}) {
    findings found(in);
    findings by_chunks(in);
    {
      const short_memory none(bytes);
      find_all(found, weft::par.on(home));
      find_all(by_chunks, weft::par.on(home).with(weft::dynamic_chunk_size{16}));
    }
    EXPECT_TRUE(found == expected) << bytes;
    EXPECT_TRUE(by_chunks == expected) << bytes;
  }
}

/// A sum for which there is no memory while little_sum_bytes are the most that can be had.
struct large_sum {
  long value = 0;
  std::array<long, 200> ballast{};
};
constexpr std::size_t little_sum_bytes = 1024;
static_assert(sizeof(large_sum) > little_sum_bytes);

/// The sum of the first chunk waits for another, for which there is no memory.
struct sums_in_turns {
  bool has_others;

  large_sum operator()(long a, long b) const {
    while (has_others && a == 0 && num_refused == 0) {
      std::this_thread::yield();
    }
    return {a + b, {}};
  }
  large_sum operator()(large_sum a, long b) const { return {a.value + b, {}}; }
  large_sum operator()(large_sum a, const large_sum& b) const { return (*this)(a, b.value); }
};

TEST_P(ShortMemory, sums_that_would_wait_for_those_in_front_are_summed_again) {
  namespace detail = weft::algorithms::detail;
  for (const int n : {5 * 2048 + 1, 5 * 2048 + 2}) {
    const std::vector<int> values = weft::test::counted(n);
    const std::list<long> list(values.begin(), values.end());
    sums_in_turns op{.has_others = GetParam() > 1};
    const auto operand = [](const auto& it) -> const long& { return *it; };
    const detail::place_sums<large_sum, sums_in_turns, decltype(operand)> sums{op, operand};
    num_refused = 0;
    large_sum sum;
    {
      const short_memory none(little_sum_bytes);
      sum = detail::reduce_fixed_chunks_by_all(
          weft::par.on(home), detail::walk(list.begin(), list.end()), large_sum{3, {}}, sums);
    }
    EXPECT_EQ(sum.value, 3L + static_cast<long>(n) * (n - 1) / 2);
    EXPECT_EQ(num_refused == 0, GetParam() == 1);
  }
}

TEST_P(ShortMemory, values_stay_with_their_keys_and_equal_keys_in_order) {
  std::vector<std::string> keys = values_of<std::string>(numbers(pattern::few_distinct, 3'000));
  std::vector<int> places = numbers(pattern::sorted, keys.size());
  const std::vector<std::string> original = keys;
  {
    const short_memory none;
    weft::sort_by_key(weft::par.on(home), keys.begin(), keys.end(), places.begin());
  }
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(keys[i], original[static_cast<std::size_t>(places[i])]);
    ASSERT_TRUE(i == 0 || keys[i - 1] != keys[i] || places[i - 1] < places[i]) << i;
  }
}

TEST_P(ShortMemory, keys_and_values_behind_proxies_are_sorted_in_place) {
  using weft::test::item;
  std::vector<item> keys = weft::test::items(1'000);
  std::vector<int> tags = weft::test::counted(1'000);
  const weft::test::proxy_iterator<item> first(keys.data());
  const auto less = [](const item& a, const item& b) { return a.key < b.key; };
  {
    const short_memory none;
    weft::sort_by_key(weft::par.on(home),
                      first,
                      first + 1'000,
                      weft::test::proxy_iterator<int>(tags.data()),
                      less);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(keys[i].tag, tags[i]);
    ASSERT_TRUE(i == 0 || keys[i - 1].key < keys[i].key ||
                (keys[i - 1].key == keys[i].key && tags[i - 1] < tags[i]));
  }
}

INSTANTIATE_TEST_SUITE_P(workers, ShortMemory, testing::Values(1U, 2U, 7U));

}  // namespace
