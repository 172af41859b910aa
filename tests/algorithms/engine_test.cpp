// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops, reductions and searches that algorithms are built from, for any number of workers.
#include "weft/algorithms/detail/sharing/engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/executor.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/tasks/deadlock.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"
#include "tests/tasks/with_workers.hpp"

namespace engine_test {

using weft::algorithms::detail::cost_record;
using weft::algorithms::detail::find_chunk;
using weft::algorithms::detail::for_chunks;
using weft::algorithms::detail::reduce_chunks;
using weft::algorithms::detail::region;
using weft::algorithms::detail::run_front;
using weft::test::with_workers;

/// Cuts into small chunks, so that several workers take part in little work.
const auto cut = weft::par.with(weft::dynamic_chunk_size{64});

class Engine : public testing::TestWithParam<int> {
 protected:
  weft::runtime home{with_workers(GetParam())};
  cost_record costs;
};

TEST_P(Engine, calls_every_index_once) {
  const auto on_home = cut.on(home);
  for (const std::size_t n : {0UL, 1UL, 2UL, 63UL, 64UL, 65UL, 5'000UL}) {
    std::vector<int> counts(n, 0);
    const auto body = [&counts](std::size_t first, std::size_t last) {
      for (; first != last; ++first) {
        ++counts[first];
      }
    };
    for_chunks(on_home, {.n = n}, costs, body);
    for_chunks(weft::par.on(home), {.n = n}, costs, body);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 2), static_cast<std::ptrdiff_t>(n));
  }
}

TEST_P(Engine, borders_of_chunks_are_multiples) {
  std::atomic<bool> is_wrong{false};
  for_chunks(cut.on(home),
             {.n = 10'000, .multiple_of = 48},
             costs,
             [&is_wrong](std::size_t first, std::size_t last) {
               if (first % 48 != 0 || (last % 48 != 0 && last != 10'000)) {
                 is_wrong = true;
               }
             });
  EXPECT_FALSE(is_wrong);
}

TEST_P(Engine, reduces_in_order_whatever_the_chunks) {
  const auto letters = [](std::size_t first, std::size_t last) {
    std::string text;
    for (; first != last; ++first) {
      text += static_cast<char>('a' + first % 26);
    }
    return text;
  };
  const auto join = [](std::string a, const std::string& b) { return std::move(a) + b; };
  for (const std::size_t n : {1UL, 2UL, 64UL, 65UL, 5'000UL}) {
    const std::string expected = letters(0, n);
    EXPECT_EQ(reduce_chunks<std::string>(cut.on(home), {.n = n}, costs, letters, join), expected);
    EXPECT_EQ(reduce_chunks<std::string>(
                  weft::par.on(home).with(weft::deterministic), {.n = n}, costs, letters, join),
              expected);
    EXPECT_EQ(reduce_chunks<std::string>(weft::par.on(home), {.n = n}, costs, letters, join),
              expected);
  }
}

/// Moves only, has no default value.
struct box {
  explicit box(std::uint64_t v) : value(std::make_unique<std::uint64_t>(v)) {}
  std::unique_ptr<std::uint64_t> value;
};

TEST_P(Engine, reduces_what_only_moves) {
  const box sum = reduce_chunks<box>(
      cut.on(home),
      {.n = 3'000},
      costs,
      [](std::size_t first, std::size_t last) {
        std::uint64_t part = 0;
        for (; first != last; ++first) {
          part += first;
        }
        return box(part);
      },
      [](box a, const box& b) { return box(*a.value + *b.value); });
  EXPECT_EQ(*sum.value, 2'999U * 3'000U / 2);
}

TEST_P(Engine, finds_the_least_hit) {
  constexpr std::size_t n = 20'000;
  for (const std::size_t hit : {std::size_t{0}, std::size_t{1}, std::size_t{4'321}, n - 1, n}) {
    const auto scan = [hit](std::size_t first, std::size_t last) {
      // A second hit, further on, must not win.
      for (; first != last; ++first) {
        if (first == hit || (hit != n && first == n - 1)) {
          return first;
        }
      }
      return last;
    };
    EXPECT_EQ(find_chunk(cut.on(home), {.n = n}, costs, scan), hit);
    EXPECT_EQ(find_chunk(weft::par.on(home), {.n = n}, costs, scan), hit);
  }
}

TEST_P(Engine, rethrows_what_any_index_throws) {
  constexpr std::size_t n = 300;
  for (std::size_t bad = 0; bad < n; ++bad) {
    const auto loop = [&](const auto& policy) {
      for_chunks(policy, {.n = n}, costs, [bad](std::size_t first, std::size_t last) {
        for (; first != last; ++first) {
          if (first == bad) {
            throw std::out_of_range(std::to_string(bad));
          }
        }
      });
    };
    EXPECT_THROW(loop(weft::par.on(home).with(weft::dynamic_chunk_size{16})), std::out_of_range);
    EXPECT_THROW(loop(weft::par.on(home)), std::out_of_range);
  }
}

TEST_P(Engine, counts_exceptions_that_it_drops) {
  const auto before = weft::counters::process_algorithms().read().num_dropped_exceptions;
  const std::size_t num_workers = static_cast<std::size_t>(GetParam());
  std::atomic<std::size_t> num_thrown{0};
  EXPECT_THROW(region(weft::par.on(home),
                      num_workers,
                      [&num_thrown](std::size_t /*share*/) {
                        ++num_thrown;
                        throw std::runtime_error("all");
                      }),
               std::runtime_error);
  const auto after = weft::counters::process_algorithms().read().num_dropped_exceptions;
  EXPECT_EQ(after - before, num_thrown - 1);
}

TEST_P(Engine, nests) {
  std::atomic<int> count{0};
  for_chunks(weft::par.on(home).with(weft::dynamic_chunk_size{1}),
             {.n = 8},
             costs,
             [&](std::size_t outer, std::size_t outer_last) {
               for (; outer != outer_last; ++outer) {
                 cost_record inner_costs;
                 for_chunks(
                     cut.on(home), {.n = 500}, inner_costs, [&](std::size_t a, std::size_t b) {
                       count += static_cast<int>(b - a);
                     });
                 for_chunks(cut, {.n = 500}, inner_costs, [&](std::size_t a, std::size_t b) {
                   count += static_cast<int>(b - a);
                 });
               }
             });
  EXPECT_EQ(count, 8'000);
}

TEST_P(Engine, runs_from_tasks_and_from_many_threads) {
  std::atomic<int> count{0};
  const auto loop = [&] {
    cost_record own;
    for (int i = 0; i < 20; ++i) {
      for_chunks(cut.on(home), {.n = 500}, own, [&](std::size_t a, std::size_t b) {
        count += static_cast<int>(b - a);
      });
    }
  };
  {
    std::array<std::jthread, 4> threads;
    for (std::jthread& t : threads) {
      t = std::jthread(loop);
    }
    home.run(loop);
  }
  EXPECT_EQ(count, 5 * 20 * 500);
}

INSTANTIATE_TEST_SUITE_P(Workers, Engine, testing::Values(1, 2, 7));

/// Calls `body` while both workers of `home` are busy.
template <class F>
void while_all_are_busy(weft::runtime& home, F body) {
  std::atomic<bool> has_ended{false};
  std::atomic<int> num_busy{0};
  std::array<std::jthread, 2> blockers;
  for (std::jthread& t : blockers) {
    t = std::jthread([&] {
      home.run([&] {
        ++num_busy;
        while (!has_ended) {
          std::this_thread::yield();
        }
      });
    });
  }
  while (num_busy != 2) {
    std::this_thread::yield();
  }
  body();
  has_ended = true;
}

TEST(Region, does_not_wait_for_who_never_came) {
  weft::runtime home(with_workers(2));
  while_all_are_busy(home, [&home] {
    int num_shares = 0;
    region(weft::par.on(home), 2, [&num_shares](std::size_t /*share*/) { ++num_shares; });
    EXPECT_EQ(num_shares, 1);
  });
}

/// Both shares wait for each other.
void meet(weft::runtime& home) {
  std::atomic<int> num_inside{0};
  region(weft::par.on(home), 2, [&num_inside](std::size_t /*share*/) {
    ++num_inside;
    while (num_inside < 2) {
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(num_inside, 2);
}

TEST(Region, keeps_few_guests_that_came_too_late) {
  weft::runtime home(with_workers(2));
  const auto& scheduler = weft::tasks::detail::runtime_access::of(home);
  while_all_are_busy(home, [&] {
    for (int i = 0; i < 5'000; ++i) {
      region(weft::par.on(home), 2, [](std::size_t /*share*/) {});
    }
    EXPECT_GT(scheduler.queue_length(), 10U);
    EXPECT_LT(scheduler.queue_length(), 200U);
  });
  while (scheduler.queue_length() != 0) {
    std::this_thread::yield();
  }
  meet(home);  // guests are invited again
}

TEST(Region, waits_for_guests_though_the_runtime_stands_still) {
  weft::runtime_options options = with_workers(2);
  options.deadlock = weft::deadlock_action::raise;
  weft::runtime home(options);
  weft::promise<void> may_leave;
  weft::future<void> left = may_leave.get_future();
  std::atomic<bool> is_inside{false};
  std::atomic<bool> has_left{false};
  const std::jthread other([&may_leave] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1'600));
    may_leave.set_value();
  });
  const auto call = [&] {
    region(weft::par.on(home), 2, [&](std::size_t share) {
      if (share == 0) {
        while (!is_inside) {
          std::this_thread::yield();
        }
      } else {
        is_inside = true;
        left.get();
        has_left = true;
      }
    });
  };
  EXPECT_THROW(call(), weft::deadlock_error);
  EXPECT_TRUE(has_left);
}

TEST(Region, guests_take_what_the_caller_leaves) {
  weft::runtime home(with_workers(2));
  meet(home);
  home.run([&home] { meet(home); });
}

/// Somebody else's threads: one per call.
class thread_executor {
 public:
  explicit thread_executor(std::vector<std::jthread>& threads) : threads_(&threads) {}
  [[nodiscard]] std::size_t num_workers() const noexcept { return 3; }
  template <class F>
  void execute(F f) const {
    threads_->emplace_back(std::move(f));
  }

 private:
  std::vector<std::jthread>* threads_;
};

/// Never runs anything.
struct lazy_executor {
  [[nodiscard]] static std::size_t num_workers() noexcept { return 8; }
  template <class F>
  // NOLINTNEXTLINE(performance-unnecessary-value-param): takes it, as executors do
  static void execute(F /*f*/) {}
};

/// Has no room left.
struct full_executor {
  [[nodiscard]] static std::size_t num_workers() noexcept { return 8; }
  template <class F>
  // NOLINTNEXTLINE(performance-unnecessary-value-param): takes it, as executors do
  static void execute(F /*f*/) {
    throw std::bad_alloc();
  }
};

TEST(Executors, of_others_may_run_late_or_never) {
  static_assert(weft::algorithm_executor<thread_executor>);
  static_assert(weft::algorithm_executor<weft::runtime&>);
  static_assert(!weft::algorithm_executor<int>);
  std::vector<std::jthread> threads;
  std::atomic<int> count{0};
  cost_record costs;
  const auto body = [&count](std::size_t a, std::size_t b) { count += static_cast<int>(b - a); };
  for_chunks(cut.on(thread_executor(threads)), {.n = 1'000}, costs, body);
  for_chunks(cut.on(lazy_executor()), {.n = 1'000}, costs, body);
  for_chunks(cut.on(full_executor()), {.n = 1'000}, costs, body);
  EXPECT_EQ(count, 3'000);
  EXPECT_EQ(threads.size(), 2U);
}

TEST(Executors, part_of_a_runtime) {
  weft::runtime home(with_workers(4));
  EXPECT_EQ(weft::algorithms::detail::num_shares(weft::par.on(weft::workers_of(home, 2))), 2U);
  EXPECT_EQ(weft::algorithms::detail::num_shares(weft::par.on(home)), 4U);
  EXPECT_EQ(weft::algorithms::detail::num_shares(weft::par.on(home).with(weft::num_cores{3})), 3U);
  EXPECT_EQ(weft::algorithms::detail::num_shares(weft::seq.on(home)), 1U);
}

struct worker_call {
  template <class How>
  static const void* run(const How& /*how*/) {
    const auto* const w = weft::tasks::detail::self();
    return w == nullptr ? nullptr : w->home;
  }
};

TEST(Executors, a_future_is_made_by_their_runtime) {
  weft::runtime home(with_workers(2));
  weft::runtime other(with_workers(1));
  const auto where = [&home] {
    return weft::algorithms::detail::launch<worker_call>(weft::par.on(home)(weft::as_future)).get();
  };
  const void* const expected = &weft::tasks::detail::runtime_access::of(home);
  EXPECT_EQ(where(), expected);
  EXPECT_EQ(home.run(where), expected);
  EXPECT_EQ(other.run(where), expected);
}

TEST(Deterministic, results_are_bitwise_equal_for_any_number_of_workers) {
  std::vector<float> values(30'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = 1.0F / static_cast<float>(1 + i * 7 % 1'001);
  }
  const auto sum = [&values](const auto& policy) {
    cost_record costs;
    return reduce_chunks<float>(
        policy.with(weft::deterministic),
        {.n = values.size()},
        costs,
        [&values](std::size_t first, std::size_t last) {
          float part = values[first];
          while (++first != last) {
            part += values[first];
          }
          return part;
        },
        [](float a, float b) { return a + b; });
  };
  const float expected = sum(weft::seq);
  for (const int workers : {1, 2, 7}) {
    weft::runtime home(with_workers(workers));
    EXPECT_EQ(sum(weft::par.on(home)), expected);
  }
}

TEST(RunFront, does_all_that_is_short_and_in_order) {
  cost_record costs;
  std::size_t next = 0;
  bool is_in_order = true;
  for (int i = 0; i < 40; ++i) {
    next = 0;
    const std::size_t done =
        run_front(weft::par, {.n = 100}, costs, [&](std::size_t first, std::size_t last) {
          is_in_order = is_in_order && first == next && first <= last;
          next = last;
        });
    EXPECT_EQ(done, next);
  }
  EXPECT_TRUE(is_in_order);
  EXPECT_EQ(run_front(cut, {.n = 100}, costs, [](std::size_t, std::size_t) {}), 0U);
}

/// How many chunks a search through `n` positions that cost nothing is cut into, if the position
/// `slow` takes 50 us, as what a program does for the first time.
std::size_t num_chunks_of_search(weft::runtime& home,
                                 cost_record& costs,
                                 std::size_t n,
                                 std::size_t slow) {
  weft::chunking_parameters chosen;
  const auto scan = [slow](std::size_t first, std::size_t last) {
    if (first <= slow && slow < last) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
      while (std::chrono::steady_clock::now() < end) {
      }
    }
    return last;
  };
  EXPECT_EQ(find_chunk(weft::par.on(home).with(weft::collect_chunking_parameters(chosen)),
                       {.n = n},
                       costs,
                       scan),
            n);
  return chosen.num_chunks;
}

int num_threads() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                                        std::filesystem::directory_iterator()));
}

/// How many threads a few loops start that are short also in a sanitizer's build. Sanitizers have
/// threads of their own.
int num_threads_of_short_loops() {
  const int num_before = num_threads();
  std::vector<double> values(std::size_t{1} << 8U, 1.0);
  for (int i = 0; i < 4; ++i) {
    weft::for_each(weft::par, values.begin(), values.end(), [](double& x) { x += 1.0; });
  }
  return num_threads() - num_before;
}

TEST(Beginning, short_loops_start_no_workers) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process of its own
  // Where something else takes the processor away, a short loop looks long.
  constexpr int most_tries = 10;
  bool none_started = false;
  const auto note = [&none_started](int status) {
    none_started = testing::ExitedWithCode(0)(status);
    return true;
  };
  for (int i = 0; i < most_tries && !none_started; ++i) {
    EXPECT_EXIT(std::exit(num_threads_of_short_loops()), note, "");
  }
  EXPECT_TRUE(none_started);
}

/// Where something else takes a worker's processor away, any search looks slow: it is tried again.
constexpr int most_searches = 50;
constexpr std::size_t many_chunks = 100;

TEST(Beginning, is_not_misled_by_a_cold_start) {
  constexpr std::size_t n = std::size_t{1} << 22U;
  weft::runtime home(with_workers(2));
  for (const std::size_t slow : {0U, 1U, 5U, 40U, 3'000U}) {
    std::size_t fewest = n;
    for (int i = 0; i < most_searches && fewest >= many_chunks; ++i) {
      cost_record costs;
      fewest = std::min(fewest, num_chunks_of_search(home, costs, n, slow));
    }
    EXPECT_LT(fewest, many_chunks) << "position " << slow;
  }
}

TEST(Beginning, learns_no_rate_of_long_loops_from_a_cold_short_one) {
  constexpr std::size_t n = std::size_t{1} << 22U;
  weft::runtime home(with_workers(2));
  for (const std::size_t few : {1U, 2U, 50U}) {
    std::size_t fewest = n;
    for (int i = 0; i < most_searches && fewest >= many_chunks; ++i) {
      cost_record costs;
      static_cast<void>(num_chunks_of_search(home, costs, few, 0));
      fewest = std::min(fewest, num_chunks_of_search(home, costs, n, n));
    }
    EXPECT_LT(fewest, many_chunks) << few << " before";
  }
}

}  // namespace engine_test
