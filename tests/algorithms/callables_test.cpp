// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often algorithms call their callables. What any of these calls throws arrives as it is, and
// elements are left as the algorithm says.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms.hpp"
#include "weft/tasks/runtime.hpp"

#include "algorithms/map_support.hpp"

namespace callables_test {

using weft::test::with_workers;

/// Throws at one of its calls: std::bad_alloc if the number of that is odd.
class tripwire {
 public:
  void set(long call) {
    at_ = call;
    num_calls_ = 0;
    has_tripped_ = false;
  }
  void tick() {
    if (num_calls_.fetch_add(1, std::memory_order_relaxed) != at_) {
      return;
    }
    has_tripped_.store(true, std::memory_order_relaxed);
    if (is_odd()) {
      throw std::bad_alloc();
    }
    throw std::out_of_range("tripped");
  }
  [[nodiscard]] bool is_odd() const { return at_ % 2 != 0; }
  [[nodiscard]] bool has_tripped() const { return has_tripped_.load(std::memory_order_relaxed); }
  [[nodiscard]] long num_calls() const { return num_calls_.load(std::memory_order_relaxed); }

 private:
  long at_ = -1;
  std::atomic<long> num_calls_{0};
  std::atomic<bool> has_tripped_{false};
};

/// A number whose comparisons are calls.
struct equal_to_number {
  tripwire* wire;
  int number;
  operator int() const { return number; }
  friend bool operator==(int x, const equal_to_number& v) {
    v.wire->tick();
    return x == v.number;
  }
};

/// What algorithms are called with, and where they write to.
struct place {
  std::vector<int> in;
  std::vector<int> out;
  std::vector<int> more;
  tripwire* wire;

  [[nodiscard]] auto first() { return in.begin(); }
  [[nodiscard]] auto last() { return in.end(); }
  [[nodiscard]] auto middle() { return in.begin() + std::ssize(in) / 2; }
  [[nodiscard]] auto quarter() { return in.begin() + std::ssize(in) / 4; }
  [[nodiscard]] auto last_quarter() { return in.end() - std::ssize(in) / 4; }
  [[nodiscard]] auto up_to(long count) { return std::min(count, std::ssize(in) / 2); }
  [[nodiscard]] auto to() { return out.begin(); }
  [[nodiscard]] equal_to_number value(int x) { return {wire, x}; }
  [[nodiscard]] auto never() {
    return [wire = wire](int /*x*/) {
      wire->tick();
      return false;
    };
  }
  [[nodiscard]] auto is_odd() {
    return [wire = wire](int x) {
      wire->tick();
      return x % 2 != 0;
    };
  }
  [[nodiscard]] auto same() {
    return [wire = wire](int a, int b) {
      wire->tick();
      return a == b;
    };
  }
  /// Two numbers are mostly not the same one modulo 15.
  [[nodiscard]] auto differ_in_fifteen() {
    return [wire = wire](int a, int b) {
      wire->tick();
      return a % 15 != b;
    };
  }
  [[nodiscard]] auto less() {
    return [wire = wire](int a, int b) {
      wire->tick();
      return a < b;
    };
  }
  [[nodiscard]] auto sum() {
    return [wire = wire](int a, int b) {
      wire->tick();
      return (a + b) % 1000;
    };
  }
  [[nodiscard]] auto twice() {
    return [wire = wire](int x) {
      wire->tick();
      return 2 * x;
    };
  }
};

/// An algorithm, and how often it may call its callables: for each element, and for each level of a
/// tree over them.
template <class Call>
struct counted_call {
  double most_per_element;
  double most_per_level;
  Call call;

  [[nodiscard]] long most_calls(std::size_t n) const {
    const auto size = static_cast<double>(n);
    return std::lround(size * (most_per_element + most_per_level * std::log2(size)));
  }
};

// NOLINTBEGIN(cppcoreguidelines-macro-usage): a list of calls
#define WEFT_CALL_OF_LEVELS(most_per_element, most_per_level, ...)                                 \
  counted_call {                                                                                   \
    most_per_element, most_per_level,                                                              \
        [](const auto& how, place& at) { static_cast<void>(how), static_cast<void>(__VA_ARGS__); } \
  }
#define WEFT_CALL(most_per_element, ...) WEFT_CALL_OF_LEVELS(most_per_element, 0.0, __VA_ARGS__)
#define WEFT_IN at.first(), at.last()
// NOLINTEND(cppcoreguidelines-macro-usage)

/// Those that leave what they read as it was.
constexpr std::tuple reading{
    WEFT_CALL(1, weft::adjacent_difference(how, WEFT_IN, at.to(), at.sum())),
    WEFT_CALL(1, weft::adjacent_find(how, WEFT_IN, at.same())),
    WEFT_CALL(1, weft::all_of(how, WEFT_IN, std::not_fn(at.never()))),
    WEFT_CALL(1, weft::any_of(how, WEFT_IN, at.never())),
    WEFT_CALL(1, weft::copy_if(how, WEFT_IN, at.to(), at.is_odd())),
    WEFT_CALL(1, weft::count(how, WEFT_IN, at.value(-1))),
    WEFT_CALL(1, weft::count_if(how, WEFT_IN, at.is_odd())),
    WEFT_CALL(1, weft::equal(how, WEFT_IN, at.first(), at.same())),
    WEFT_CALL(2, weft::exclusive_scan(how, WEFT_IN, at.to(), 1, at.sum())),
    WEFT_CALL(1, weft::find(how, WEFT_IN, at.value(-1))),
    WEFT_CALL(2, weft::find_end(how, WEFT_IN, at.first() + 1, at.first() + 3, at.same())),
    WEFT_CALL(5, weft::find_end(how, WEFT_IN, at.quarter(), at.last_quarter(), at.same())),
    WEFT_CALL(2,
              weft::find_first_of(how, WEFT_IN, at.more.begin(), at.more.begin() + 2, at.same())),
    WEFT_CALL(1, weft::find_if(how, WEFT_IN, at.never())),
    WEFT_CALL(1, weft::find_if_not(how, WEFT_IN, std::not_fn(at.never()))),
    WEFT_CALL(1, weft::find_last_if(how, WEFT_IN, at.never())),
    WEFT_CALL(4, weft::includes(how, WEFT_IN, at.first() + 1, at.last(), at.less())),
    WEFT_CALL(2, weft::inclusive_scan(how, WEFT_IN, at.to(), at.sum())),
    WEFT_CALL(1, weft::is_heap_until(how, at.in.rbegin(), at.in.rend(), at.less())),
    WEFT_CALL(1, weft::is_partitioned(how, WEFT_IN, at.never())),
    WEFT_CALL(1, weft::is_sorted_until(how, WEFT_IN, at.less())),
    WEFT_CALL(2, weft::lexicographical_compare(how, WEFT_IN, WEFT_IN, at.less())),
    WEFT_CALL(3, weft::max_element(how, WEFT_IN, at.less())),
    WEFT_CALL(
        1, weft::merge(how, at.first(), at.middle(), at.middle(), at.last(), at.to(), at.less())),
    WEFT_CALL(3, weft::min_element(how, WEFT_IN, at.less())),
    WEFT_CALL(5, weft::minmax_element(how, WEFT_IN, at.less())),
    WEFT_CALL(1, weft::mismatch(how, WEFT_IN, at.first(), at.same())),
    WEFT_CALL(1, weft::none_of(how, WEFT_IN, at.never())),
    WEFT_CALL_OF_LEVELS(
        1,
        1,
        weft::partial_sort_copy(how, WEFT_IN, at.to(), at.to() + std::ssize(at.in) / 3, at.less())),
    WEFT_CALL(1, weft::partition_copy(how, WEFT_IN, at.to(), at.more.begin(), at.is_odd())),
    WEFT_CALL(1, weft::reduce(how, WEFT_IN, 1, at.sum())),
    WEFT_CALL(1, weft::reduce(how.with(weft::deterministic), WEFT_IN, 1, at.sum())),
    WEFT_CALL(1, weft::remove_copy(how, WEFT_IN, at.to(), at.value(3))),
    WEFT_CALL(1, weft::remove_copy_if(how, WEFT_IN, at.to(), at.is_odd())),
    WEFT_CALL(1, weft::replace_copy(how, WEFT_IN, at.to(), at.value(3), at.value(4))),
    WEFT_CALL(1, weft::replace_copy_if(how, WEFT_IN, at.to(), at.is_odd(), 3)),
    WEFT_CALL(1, weft::search(how, WEFT_IN, at.more.begin(), at.more.begin() + 2, at.same())),
    WEFT_CALL(5, weft::search(how, WEFT_IN, at.quarter(), at.last_quarter(), at.same())),
    WEFT_CALL(1, weft::search_n(how, WEFT_IN, 2, -5, at.same())),
    WEFT_CALL(1.25, weft::search_n(how, WEFT_IN, at.up_to(30), 13, at.differ_in_fifteen())),
    WEFT_CALL(2, weft::search_n(how, WEFT_IN, at.up_to(50), 13, at.differ_in_fifteen())),
    WEFT_CALL(3, weft::set_difference(how, WEFT_IN, at.middle(), at.last(), at.to(), at.less())),
    WEFT_CALL(3, weft::set_intersection(how, WEFT_IN, at.middle(), at.last(), at.to(), at.less())),
    WEFT_CALL(
        3,
        weft::set_symmetric_difference(how, WEFT_IN, at.middle(), at.last(), at.to(), at.less())),
    WEFT_CALL(3, weft::set_union(how, WEFT_IN, at.middle(), at.last(), at.to(), at.less())),
    WEFT_CALL(1, weft::transform(how, WEFT_IN, at.to(), at.twice())),
    WEFT_CALL(1, weft::transform(how, WEFT_IN, at.first(), at.to(), at.sum())),
    WEFT_CALL(4, weft::transform_exclusive_scan(how, WEFT_IN, at.to(), 1, at.sum(), at.twice())),
    WEFT_CALL(4, weft::transform_inclusive_scan(how, WEFT_IN, at.to(), at.sum(), at.twice())),
    WEFT_CALL(2, weft::transform_reduce(how, WEFT_IN, 1, at.sum(), at.twice())),
    WEFT_CALL(2, weft::transform_reduce(how, WEFT_IN, at.first(), 1, at.sum(), at.sum())),
    WEFT_CALL(1, weft::unique_copy(how, WEFT_IN, at.to(), at.same())),
    WEFT_CALL(3,
              weft::reduce_by_key(
                  how, WEFT_IN, at.first(), at.to(), at.more.begin(), at.same(), at.sum())),
};

/// Those that write to or move the elements.
constexpr std::tuple changing{
    WEFT_CALL(1, (weft::for_each(how, WEFT_IN, at.twice()), 0)),
    WEFT_CALL(1, weft::for_each_n(how, at.first(), at.in.size(), at.twice())),
    WEFT_CALL(1, (weft::generate(how, WEFT_IN, std::bind_front(at.twice(), 4)), 0)),
    WEFT_CALL(1, weft::generate_n(how, at.first(), at.in.size(), std::bind_front(at.twice(), 4))),
    WEFT_CALL(1, (weft::replace(how, WEFT_IN, at.value(3), at.value(4)), 0)),
    WEFT_CALL(1, (weft::replace_if(how, WEFT_IN, at.is_odd(), 4), 0)),
    WEFT_CALL(6, (weft::nth_element(how, at.first(), at.middle(), at.last(), at.less()), 0)),
    WEFT_CALL_OF_LEVELS(
        1, 1, (weft::partial_sort(how, at.first(), at.middle(), at.last(), at.less()), 0)),
    WEFT_CALL(1.5, weft::partition(how, WEFT_IN, at.is_odd())),
    WEFT_CALL(1, weft::remove(how, WEFT_IN, at.value(3))),
    WEFT_CALL(1, weft::remove_if(how, WEFT_IN, at.is_odd())),
    WEFT_CALL_OF_LEVELS(1, 2, (weft::sort(how, WEFT_IN, at.less()), 0)),
    WEFT_CALL_OF_LEVELS(1, 2, (weft::sort(how.with(weft::in_place), WEFT_IN, at.less()), 0)),
    WEFT_CALL_OF_LEVELS(0, 1, (weft::stable_sort(how, WEFT_IN, at.less()), 0)),
    WEFT_CALL(1, weft::stable_partition(how, WEFT_IN, at.is_odd())),
    WEFT_CALL(1, weft::unique(how, WEFT_IN, at.same())),
    WEFT_CALL_OF_LEVELS(0, 1, (weft::sort_by_key(how, WEFT_IN, at.to(), at.less()), 0)),
    WEFT_CALL(1, (weft::for_loop(how, 0, static_cast<int>(at.in.size()), at.twice()), 0)),
};

/// Those of them that want two sorted halves.
constexpr std::tuple joining_halves{
    WEFT_CALL(1.25, (weft::inplace_merge(how, at.first(), at.middle(), at.last(), at.less()), 0)),
};
#undef WEFT_IN
#undef WEFT_CALL
#undef WEFT_CALL_OF_LEVELS

/// Calls `call` and says whether what arrived is what was thrown, or nothing if nothing was.
bool arrives(const tripwire& wire, auto&& call) {
  try {
    call();
  } catch (const std::bad_alloc&) {
    return wire.has_tripped() && wire.is_odd();
  } catch (const std::out_of_range&) {
    return wire.has_tripped() && !wire.is_odd();
  }
  return !wire.has_tripped();
}

/// Lets each of `calls` throw at every `num_points`-th part of its calls, or at every one.
void trip_at(const auto& how, const auto& calls, const std::vector<int>& values, long num_points) {
  constexpr bool is_reading = std::is_same_v<decltype(calls), decltype(reading)&>;
  tripwire wire;
  int number = 0;
  const auto trip = [&](const auto& counted) {
    const auto& call = counted.call;
    place at{values, std::vector<int>(values.size()), std::vector<int>(values.size(), -1), &wire};
    wire.set(-1);
    call(how, at);
    const long num_calls = wire.num_calls();
    ASSERT_GT(num_calls, is_reading ? 0 : 1) << "call " << number;  // one look may end a search
    const long step = std::max(1L, num_points == 0 ? 1L : num_calls / num_points);
    for (long i = 0; i < num_calls; i += step + step % 2) {
      for (const long when : {i, i + 1}) {  // each kind of exception
        at.in = values;
        wire.set(when);
        ASSERT_TRUE(arrives(wire, [&] { call(how, at); })) << "call " << number << " at " << when;
        if constexpr (is_reading) {
          ASSERT_EQ(at.in, values) << "call " << number << " at " << when;
        }
      }
    }
    ++number;
  };
  std::apply([&](const auto&... each) { (trip(each), ...); }, calls);
}

/// In order, each number twice.
std::vector<int> in_pairs(std::size_t n) {
  std::vector<int> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<int>(i / 2);
  }
  return values;
}

/// The same in two sorted halves: one has the even numbers, the other one the odd.
std::vector<int> in_halves(std::size_t n) {
  std::vector<int> values;
  values.reserve(n);
  for (const int rest : {0, 1}) {
    std::ranges::copy_if(
        in_pairs(n), std::back_inserter(values), [rest](int x) { return x % 2 == rest; });
  }
  return values;
}

/// `values` in a random order, always the same one.
std::vector<int> shuffled(std::vector<int> values) {
  std::uint32_t state = 1;
  for (std::size_t i = values.size(); i > 1; --i) {
    state = state * 1664525 + 1013904223;
    std::swap(values[i - 1], values[(std::size_t{state} * i) >> 32U]);
  }
  return values;
}

/// Expects none of `calls` to call its callables more often than it may.
void count_calls(const auto& how, const auto& calls, const std::vector<int>& values) {
  tripwire wire;
  int number = 0;
  const auto count = [&](const auto& counted) {
    place at{values, std::vector<int>(values.size()), std::vector<int>(values.size(), -1), &wire};
    wire.set(-1);

    counted.call(how, at);

    EXPECT_LE(wire.num_calls(), counted.most_calls(values.size())) << "call " << number;
    ++number;
  };
  std::apply([&](const auto&... each) { (count(each), ...); }, calls);
}

TEST(Callables, are_called_no_more_often_than_the_standard_says) {
  constexpr std::size_t n = 20'000;
  std::vector<int> distinct(n);
  std::iota(distinct.begin(), distinct.end(), 0);
  for (int workers = 1; workers <= 8; ++workers) {
    SCOPED_TRACE(workers);
    weft::runtime home(with_workers(workers));
    const auto how = weft::par.on(home);
    for (const auto& values : {distinct, in_pairs(n), std::vector<int>(n, 1)}) {
      count_calls(how, reading, values);
      count_calls(how, changing, shuffled(values));
    }
    count_calls(how, changing, in_halves(n));
    count_calls(how, joining_halves, in_halves(n));
  }
}

TEST(Throws, what_any_call_throws_arrives) {
  weft::runtime home(with_workers(3));
  const auto how = weft::par.on(home).with(weft::dynamic_chunk_size{5});
  trip_at(how, reading, in_pairs(24), 0);
  trip_at(how, changing, in_halves(24), 0);
  trip_at(how, joining_halves, in_halves(24), 0);
}

TEST(Throws, so_does_what_is_thrown_while_many_work) {
  weft::runtime home(with_workers(3));
  trip_at(weft::par.on(home), reading, in_pairs(10'000), 3);
  trip_at(weft::par.on(home), changing, in_halves(10'000), 3);
  trip_at(weft::par.on(home), joining_halves, in_halves(10'000), 3);
}

/// An object that is dear to move, and counted.
struct lone {
  static inline std::atomic<long> alive{0};
  explicit lone(int x) : number(std::make_unique<int>(x)) { ++alive; }
  lone(lone&& other) noexcept : number(std::move(other.number)) { ++alive; }
  lone& operator=(lone&& other) noexcept = default;
  ~lone() { --alive; }
  std::unique_ptr<int> number;  // null: was moved from
};

/// The numbers of those that were not moved from.
std::vector<int> numbers_of(const std::vector<lone>& all) {
  std::vector<int> numbers;
  for (const lone& each : all) {
    if (each.number != nullptr) {
      numbers.push_back(*each.number);
    }
  }
  return numbers;
}

std::vector<lone> lone_values(const std::vector<int>& numbers) {
  std::vector<lone> all;
  all.reserve(numbers.size());
  for (const int x : numbers) {
    all.emplace_back(x);
  }
  return all;
}

/// What is left of `numbers` when `call(how, elements, wire)` throws halfway; all objects that were
/// there are, and no others.
std::vector<int> left_of(const std::vector<int>& numbers, double share, auto&& call) {
  weft::runtime home(with_workers(3));
  const auto how = weft::par.on(home).with(weft::static_chunk_size{500});
  tripwire wire;
  std::vector<lone> all = lone_values(numbers);
  wire.set(-1);
  call(how, all, wire);
  all = lone_values(numbers);
  wire.set(static_cast<long>(share * static_cast<double>(wire.num_calls())));

  EXPECT_TRUE(arrives(wire, [&] { call(how, all, wire); }));
  EXPECT_TRUE(wire.has_tripped());
  EXPECT_EQ(lone::alive, std::ssize(numbers));
  return numbers_of(all);
}

TEST(Throws, objects_are_neither_lost_nor_doubled) {
  std::vector<int> numbers = in_pairs(5'000);
  std::rotate(numbers.begin(), numbers.begin() + 2'000, numbers.end());
  const auto is_odd = [](tripwire& wire) {
    return [&wire](const lone& x) {
      wire.tick();
      return *x.number % 2 != 0;
    };
  };
  const auto less = [](tripwire& wire) {
    return [&wire](const lone& a, const lone& b) {
      wire.tick();
      return *a.number < *b.number;
    };
  };
  const auto same = [](tripwire& wire) {
    return [&wire](const lone& a, const lone& b) {
      wire.tick();
      return *a.number == *b.number;
    };
  };
  std::vector<int> sorted = numbers;
  std::ranges::sort(sorted);
  for (const double share : {0.3, 0.9}) {
    std::vector<int> parted = left_of(numbers, share, [&](auto& how, auto& all, tripwire& wire) {
      weft::partition(how, all.begin(), all.end(), is_odd(wire));
    });
    std::ranges::sort(parted);
    EXPECT_EQ(parted, sorted);
    static_cast<void>(left_of(numbers, share, [&](auto& how, auto& all, tripwire& wire) {
      weft::stable_partition(how, all.begin(), all.end(), is_odd(wire));
    }));
    static_cast<void>(left_of(numbers, share, [&](auto& how, auto& all, tripwire& wire) {
      weft::remove_if(how, all.begin(), all.end(), is_odd(wire));
    }));
    static_cast<void>(left_of(numbers, share, [&](auto& how, auto& all, tripwire& wire) {
      weft::unique(how, all.begin(), all.end(), same(wire));
    }));
    static_cast<void>(left_of(numbers, share, [&](auto& how, auto& all, tripwire& wire) {
      weft::sort(how, all.begin(), all.end(), less(wire));
    }));
    static_cast<void>(left_of(numbers, share, [&](auto& how, auto& all, tripwire& wire) {
      weft::partial_sort(how, all.begin(), all.begin() + 2'500, all.end(), less(wire));
    }));
  }
}

TEST(Throws, what_is_ordered_before_it_moves_stays_as_it_was) {
  std::vector<int> numbers = in_pairs(5'000);
  std::rotate(numbers.begin(), numbers.begin() + 2'000, numbers.end());
  const auto less = [](tripwire& wire) {
    return [&wire](const lone& a, const lone& b) {
      wire.tick();
      return *a.number < *b.number;
    };
  };
  for (const double share : {0.0, 0.999}) {
    EXPECT_EQ(left_of(numbers,
                      share,
                      [&](auto& how, auto& all, tripwire& wire) {
                        weft::stable_sort(how, all.begin(), all.end(), less(wire));
                      }),
              numbers);
    // Two ways to merge take turns, of which one compares less than half as often.
    EXPECT_EQ(left_of(numbers,
                      std::min(share, 0.3),
                      [&](auto& how, auto& all, tripwire& wire) {
                        weft::inplace_merge(
                            how, all.begin(), all.begin() + 3'000, all.end(), less(wire));
                      }),
              numbers);
    EXPECT_EQ(left_of(numbers,
                      share,
                      [&](auto& how, auto& all, tripwire& wire) {
                        std::vector<int> values(all.size());
                        weft::sort_by_key(how, all.begin(), all.end(), values.begin(), less(wire));
                      }),
              numbers);
  }
}

}  // namespace callables_test
