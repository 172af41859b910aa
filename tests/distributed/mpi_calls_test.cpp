// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls between ranks of an MPI job.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/base/error.hpp"
#include "weft/distributed.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/runtime.hpp"

#include "distributed/memory.hpp"

namespace wd = weft::distributed;

namespace {

int rank_here() { return wd::here().rank(); }
std::vector<double> doubled(std::vector<double> all) {
  for (double& each : all) {
    each *= 2;
  }
  return all;
}
std::size_t total_size(const std::vector<std::string>& all) {
  return std::accumulate(
      all.begin(), all.end(), std::size_t{0}, [](std::size_t sum, const auto& s) {
        return sum + s.size();
      });
}
wd::locality next() { return wd::locality((wd::here().rank() + 1) % wd::num_localities()); }

std::atomic<long> sum_of_posts{0};
void add_to_sum(long n) { sum_of_posts += n; }
void add_size(const std::vector<double>& all) { sum_of_posts += static_cast<long>(all.size()); }

std::vector<std::uint8_t> echoed(std::vector<std::uint8_t> bytes, int seed) {
  if (seed % 13 == 0) {
    throw std::out_of_range(std::to_string(seed));
  }
  for (std::uint8_t& each : bytes) {
    each = static_cast<std::uint8_t>(each + seed);
  }
  return bytes;
}

/// One call of a random size to a random rank, and what is expected of it.
struct random_call {
  weft::future<std::vector<std::uint8_t>> answer;
  std::vector<std::uint8_t> expected;
  int seed;

  explicit random_call(std::mt19937& random) : seed(static_cast<int>(random() % 1000)) {
    const std::size_t size = random() % 32 == 0 ? random() % 60'000 : random() % 200;
    std::vector<std::uint8_t> bytes(size, static_cast<std::uint8_t>(random()));
    expected = bytes;
    for (std::uint8_t& each : expected) {
      each = static_cast<std::uint8_t>(each + seed);
    }
    const auto where = static_cast<int>(random() % static_cast<unsigned>(wd::num_localities()));
    answer = wd::async<&echoed>(wd::locality(where), std::move(bytes), seed);
  }
  [[nodiscard]] bool is_right() {
    try {
      return answer.get() == expected && seed % 13 != 0;
    } catch (const std::out_of_range& raised) {
      return seed % 13 == 0 && raised.what() == std::to_string(seed);
    }
  }
};

long num_wrong(std::mt19937& random, int num_calls) {
  constexpr int at_once = 100;
  long wrong = 0;
  std::vector<random_call> all;
  for (int i = 0; i < num_calls; i += at_once) {
    all.clear();
    for (int j = 0; j < at_once; ++j) {
      all.emplace_back(random);
    }
    wrong += std::ranges::count_if(all, [](random_call& each) { return !each.is_right(); });
  }
  return wrong;
}

}  // namespace

TEST(MpiCalls, calls_reach_every_rank) {
  const wd::runtime job;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  EXPECT_EQ(wd::num_localities(), size);
  int expected = 0;
  for (auto& each : wd::broadcast_async<&rank_here>(wd::all())) {
    EXPECT_EQ(each.get(), expected++);
  }
  EXPECT_EQ(expected, size);
}

TEST(MpiCalls, a_runtime_may_be_made_again) {
  for (int i = 0; i < 3; ++i) {
    const wd::runtime job;
    EXPECT_EQ(wd::async<&rank_here>(next()).get(), next().rank());
  }
}

TEST(MpiCalls, tasks_call_too) {
  const wd::runtime job;

  const int rank = weft::default_runtime().run([] { return wd::async<&rank_here>(next()).get(); });

  EXPECT_EQ(rank, next().rank());
}

TEST(MpiCalls, arrays_of_all_sizes_go_both_ways) {
  const wd::runtime job;
  for (const std::size_t size :
       {0UL, 1UL, 1000UL, 1023UL, 1024UL, 2048UL, 100'000UL, 3'000'000UL}) {
    std::vector<double> all(size);
    std::iota(all.begin(), all.end(), 0.0);
    std::vector<double> expected = doubled(all);

    EXPECT_EQ(wd::async<&doubled>(next(), std::move(all)).get(), expected) << size;
  }
}

TEST(MpiCalls, a_message_may_be_larger_than_a_slab_without_parts) {
  const wd::runtime job;
  std::vector<std::string> all(20'000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = std::to_string(i);
  }
  all.emplace_back(50'000, 'x');  // beside them, a part

  EXPECT_EQ(wd::async<&total_size>(next(), all).get(), total_size(all));
}

TEST(MpiCalls, posts_are_done_when_all_is_quiescent) {
  const wd::runtime job;
  sum_of_posts = 0;
  wd::barrier().get();
  constexpr long num_posts = 20'000;

  for (long i = 0; i < num_posts; ++i) {
    wd::post<&add_to_sum>(wd::locality(static_cast<int>(i % wd::num_localities())), 1L);
  }
  wd::quiescence().get();

  EXPECT_EQ(wd::all_reduce(sum_of_posts.load(), wd::reduction::sum).get(),
            num_posts * wd::num_localities());
}

TEST(MpiCalls, without_aggregation_the_same_arrives) {
  wd::runtime_options options;
  options.aggregate = false;
  const wd::runtime job(options);
  sum_of_posts = 0;
  wd::barrier().get();

  for (int i = 0; i < 2000; ++i) {
    wd::post<&add_to_sum>(next(), 1L);
  }
  wd::quiescence().get();

  EXPECT_EQ(sum_of_posts, 2000);
}

TEST(MpiCalls, collectives_give_what_mpi_gives) {
  const wd::runtime job;
  const int size = wd::num_localities();
  const int rank = wd::here().rank();

  EXPECT_EQ(wd::all_reduce(rank, wd::reduction::sum).get(), size * (size - 1) / 2);
  EXPECT_EQ(wd::all_reduce(1.5 * rank, wd::reduction::maximum).get(), 1.5 * (size - 1));
  EXPECT_EQ(wd::broadcast(10 + rank, wd::locality(size - 1)).get(), 10 + size - 1);
  const std::vector<int> all = wd::all_gather(rank * rank).get();
  for (int i = 0; i < size; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)], i * i);
  }
}

TEST(MpiCalls, exceptions_cross) {
  const wd::runtime job;

  try {
    static_cast<void>(wd::async<&echoed>(next(), std::vector<std::uint8_t>(), 13).get());
    FAIL() << "nothing was thrown";
  } catch (const std::out_of_range& raised) {
    EXPECT_STREQ(raised.what(), "13");
    if (wd::num_localities() > 1) {
      EXPECT_EQ(dynamic_cast<const wd::remote_origin&>(raised).rank(), next().rank());
    }
  }
}

TEST(MpiCalls, random_calls_are_right_in_constant_memory) {
  const wd::runtime job;
  std::mt19937 random(static_cast<unsigned>(wd::here().rank() + 1));
  const int num_calls = 100'000 / wd::num_localities();
  const int a_tenth = num_calls / 10;

  EXPECT_EQ(num_wrong(random, 2 * a_tenth), 0);
  const long before_kib = weft::test::peak_kib();
  EXPECT_EQ(num_wrong(random, 8 * a_tenth), 0);

  EXPECT_LE(weft::test::peak_kib(), before_kib + 32L * 1024);
}

TEST(MpiCalls, posts_of_large_data_wait_for_the_receiver) {
  const wd::runtime job;
  if (wd::num_localities() == 1) {
    return;  // moves the arguments
  }
  sum_of_posts = 0;
  wd::barrier().get();
  const long before_kib = weft::test::peak_kib();

  for (int i = 0; i < 400; ++i) {
    wd::post<&add_size>(next(), std::vector<double>(100'000));
  }
  wd::quiescence().get();

  EXPECT_EQ(sum_of_posts, 400 * 100'000);
  EXPECT_LE(weft::test::peak_kib(), before_kib + 100L * 1024);  // of 320 MB
}

TEST(MpiCalls, operations_are_started_during_quiescence) {
  const wd::runtime job;
  const int size = wd::num_localities();
  for (int round = 0; round < 50; ++round) {
    wd::post<&add_to_sum>(next(), 1L);
    auto quiet = wd::quiescence();
    auto sum = wd::all_reduce(wd::here().rank() + round, wd::reduction::sum);
    auto barrier = wd::barrier();
    auto quiet_again = wd::quiescence();
    EXPECT_EQ(sum.get(), size * (size - 1) / 2 + size * round);
    barrier.get();
    quiet_again.get();
    quiet.get();
  }
}

TEST(MpiCalls, continuations_on_the_completing_thread_may_wait) {
  const wd::runtime job;
  auto rank = wd::async<&rank_here>(next()).then(weft::launch::sync, [](weft::future<int> there) {
    const int first = there.get();
    for (int i = 0; i < 10; ++i) {  // 8 MB: waits for the transport
      wd::post<&add_size>(next(), std::vector<double>(100'000));
    }
    return first + wd::async<&rank_here>(next()).get();
  });
  EXPECT_EQ(rank.get(), 2 * next().rank());
}

TEST(MpiCalls, a_second_runtime_is_refused) {
  const wd::runtime job;

  EXPECT_THROW(wd::runtime(), weft::error);
}
