// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls between ranks in one process.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/this_task.hpp"

#include "tests/distributed/ranks.hpp"
#include "tests/support/comes_true.hpp"

namespace wd = weft::distributed;
using weft::test::comes_true;

namespace {

int rank_here() { return wd::here().rank(); }
long sum(int a, long b) { return a + b; }
// NOLINTNEXTLINE(performance-unnecessary-value-param): one of each kind
std::string joined(const std::string& a, std::string b) { return a + b; }
std::size_t size_of(const std::vector<double>& all) { return all.size(); }
std::vector<double> doubled(std::vector<double> all) {
  for (double& each : all) {
    each *= 2;
  }
  return all;
}
weft::future<int> later(int value) {
  return weft::async([value] { return value + 1; });
}
int from_unique(std::unique_ptr<int> owned) { return *owned; }

struct point {
  int x;
  double y;
  std::string name;
};
point moved(point p, double by) {
  p.y += by;
  return p;
}

int next_of(int rank) { return (rank + 1) % wd::num_localities(); }
wd::locality next() { return wd::locality(next_of(wd::here().rank())); }

/// Fibonacci numbers by calls to the next rank.
int fib(int n) {
  if (n < 2) {
    return n;
  }
  auto one = wd::async<&fib>(next(), n - 1);
  const int other = fib(n - 2);
  return one.get() + other;
}

std::atomic<long> num_posts{0};
void count_post(int n) { num_posts += n; }
void post_on(int hops) {
  ++num_posts;
  if (hops > 0) {
    wd::post<&post_on>(next(), hops - 1);
  }
}

void drop_text(const std::string& /*text*/) {}
void count_text(const std::string& /*text*/) { ++num_posts; }

/// Both ways in which messages may travel.
class Calls : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static weft::test::ranks_options options(int size) {
    weft::test::ranks_options made;
    made.size = size;
    made.longest_delay = std::chrono::microseconds(GetParam());
    made.seed = 7;
    return made;
  }
};

}  // namespace

INSTANTIATE_TEST_SUITE_P(at_once_and_delayed, Calls, testing::Values(0, 300));

TEST_P(Calls, each_rank_knows_itself) {
  weft::test::ranks job(options(3));
  std::atomic<int> seen{0};

  job.run([&] {
    seen += 1 << (4 * wd::here().rank());
    EXPECT_EQ(wd::num_localities(), 3);
  });

  EXPECT_EQ(seen, 0x111);
}

TEST_P(Calls, a_function_is_called_on_another_rank) {
  weft::test::ranks job(options(3));

  job.run([] {
    EXPECT_EQ(wd::async<&rank_here>(next()).get(), next().rank());
    EXPECT_EQ(wd::async<&sum>(next(), 1, 2).get(), 3);
  });
}

TEST_P(Calls, lambdas_are_told_apart_by_their_types) {
  weft::test::ranks job(options(2));

  job.run([] {
    auto one = wd::async(next(), [](int x) { return x + 1; }, 1);
    auto other = wd::async(next(), [](int x) { return x + 10; }, 1);
    EXPECT_EQ(one.get(), 2);
    EXPECT_EQ(other.get(), 11);
  });
}

TEST_P(Calls, arguments_take_the_types_of_parameters) {
  weft::test::ranks job(options(2));

  job.run([] {
    EXPECT_EQ(wd::async<&joined>(next(), "a text ", "in two parts").get(), "a text in two parts");
  });
}

TEST_P(Calls, aggregates_and_unique_pointers_cross) {
  weft::test::ranks job(options(2));

  job.run([] {
    const point there = wd::async<&moved>(next(), point{1, 2.5, "p"}, 0.5).get();
    EXPECT_EQ(there.x, 1);
    EXPECT_EQ(there.y, 3.0);
    EXPECT_EQ(there.name, "p");
    EXPECT_EQ(wd::async<&from_unique>(next(), std::make_unique<int>(5)).get(), 5);
  });
}

TEST_P(Calls, large_vectors_go_both_ways) {
  weft::test::ranks job(options(2));

  job.run([] {
    std::vector<double> all(100'000);
    std::iota(all.begin(), all.end(), 0.0);
    std::vector<double> expected = all;
    for (double& each : expected) {
      each *= 2;
    }
    EXPECT_EQ(wd::async<&size_of>(next(), all).get(), all.size());
    EXPECT_EQ(wd::async<&doubled>(next(), std::move(all)).get(), expected);
  });
}

TEST_P(Calls, a_future_that_is_returned_is_awaited_there) {
  weft::test::ranks job(options(2));

  job.run([] { EXPECT_EQ(wd::async<&later>(next(), 1).get(), 2); });
}

TEST_P(Calls, calls_start_calls) {
  weft::test::ranks job(options(3));

  job.run([] { EXPECT_EQ(fib(10), 55); });
}

TEST_P(Calls, a_local_call_moves_its_arguments) {
  weft::test::ranks job(options(1));

  job.run([] {
    std::vector<int> all(10);
    const int* const place = all.data();
    const auto is_there = [](std::vector<int> given, std::uintptr_t where) {
      return reinterpret_cast<std::uintptr_t>(given.data()) == where;
    };
    EXPECT_TRUE(
        wd::async(wd::here(), is_there, std::move(all), reinterpret_cast<std::uintptr_t>(place))
            .get());
  });
}

TEST_P(Calls, a_local_call_can_be_serialised) {
  auto with = options(1);
  with.calls.always_serialize = true;
  weft::test::ranks job(with);

  job.run([] { EXPECT_EQ(wd::async<&joined>(wd::here(), "a", "b").get(), "ab"); });
}

TEST_P(Calls, a_broadcast_asks_every_rank) {
  weft::test::ranks job(options(4));

  job.run([] {
    auto answers = wd::broadcast_async<&rank_here>(wd::all());
    int expected = 0;
    for (auto& each : answers) {
      EXPECT_EQ(each.get(), expected++);
    }
    EXPECT_EQ(expected, 4);
  });
}

TEST_P(Calls, dataflow_waits_for_its_arguments) {
  weft::test::ranks job(options(2));

  job.run([] {
    weft::promise<long> given;
    auto result = wd::dataflow<&sum>(next(), wd::async<&rank_here>(next()), given.get_future());
    given.set_value(10);
    EXPECT_EQ(result.get(), 10 + next().rank());
  });
}

TEST_P(Calls, posts_are_done_when_all_is_quiescent) {
  weft::test::ranks job(options(3));
  num_posts = 0;

  job.run([] {
    for (int i = 0; i < 200; ++i) {
      wd::post<&count_post>(wd::locality(i % 3), 1);
    }
    wd::quiescence().get();
    EXPECT_EQ(num_posts, 600);
  });
}

TEST_P(Calls, continuations_on_the_completing_thread_may_wait) {
  weft::test::ranks job(options(2));

  job.run([] {
    auto rank = wd::async<&rank_here>(next()).then(weft::launch::sync, [](weft::future<int> there) {
      return wd::async<&sum>(next(), there.get(), 100L).get();  // waits for another message
    });
    EXPECT_EQ(rank.get(), 100 + next().rank());
    auto posted = wd::async<&rank_here>(next()).then(weft::launch::sync, [](weft::future<int>) {
      for (int i = 0; i < 40'000; ++i) {  // 6 MB and more: waits for the transport
        wd::post<&drop_text>(next(), std::string(128, 'x'));
      }
    });
    posted.get();
  });
}

TEST(CallsWithoutStacks, a_post_that_has_to_wait_is_sent_once) {
  weft::test::ranks job(
      {.longest_delay = std::chrono::microseconds(50'000), .workers = 1, .max_stacks = 1});
  num_posts = 0;
  constexpr int num_texts = 10'000;  // 10 MB

  job.runtime_of(0).run([] {
    auto ready = weft::async([] {});  // for which a yield would need another stack
    EXPECT_THROW(weft::this_task::yield(), weft::error);
    for (int i = 0; i < num_texts; ++i) {
      EXPECT_NO_THROW(wd::post<&count_text>(next(), std::string(1000, 'x')));
    }
  });

  EXPECT_TRUE(comes_true([] { return num_posts >= num_texts; }));
  EXPECT_EQ(num_posts, num_texts);
}

TEST_P(Calls, quiescence_waits_for_chains_of_posts) {
  weft::test::ranks job(options(3));
  num_posts = 0;

  job.run([] {
    wd::post<&post_on>(next(), 50);
    wd::quiescence().get();
    EXPECT_EQ(num_posts, 3 * 51);
  });
}

namespace {

/// What a random call is expected to return.
std::vector<std::uint8_t> echoed(std::vector<std::uint8_t> bytes, int seed) {
  if (seed % 13 == 0) {
    throw std::out_of_range(std::to_string(seed));
  }
  for (std::uint8_t& each : bytes) {
    each = static_cast<std::uint8_t>(each + seed);
  }
  return bytes;
}

void make_random_calls(int num_calls) {
  std::mt19937 random(static_cast<unsigned>(wd::here().rank() + 1));
  constexpr std::size_t most_at_once = 64;
  struct started {
    weft::future<std::vector<std::uint8_t>> answer;
    std::vector<std::uint8_t> expected;
    int seed;
  };
  std::vector<started> all;
  const auto take_all = [&all] {
    for (started& each : all) {
      try {
        EXPECT_EQ(each.answer.get(), each.expected);
        EXPECT_NE(each.seed % 13, 0);
      } catch (const std::out_of_range& thrown) {
        EXPECT_EQ(thrown.what(), std::to_string(each.seed));
      }
    }
    all.clear();
  };
  for (int i = 0; i < num_calls; ++i) {
    // Mostly small, some with parts.
    const std::size_t size = random() % 16 == 0 ? random() % 40'000 : random() % 100;
    std::vector<std::uint8_t> bytes(size, static_cast<std::uint8_t>(i));
    const int seed = static_cast<int>(random() % 1000);
    std::vector<std::uint8_t> expected(size, static_cast<std::uint8_t>(i + seed));
    const wd::locality where(static_cast<int>(random()) & 1 ? next().rank() : 0);
    all.push_back({wd::async<&echoed>(where, std::move(bytes), seed), std::move(expected), seed});
    if (all.size() == most_at_once) {
      take_all();
    }
  }
  take_all();
}

}  // namespace

TEST_P(Calls, random_calls_of_all_sizes_return_what_they_should) {
  weft::test::ranks job(options(3));

  job.run([] { make_random_calls(500); });
}
