// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of the counters /parcels, /messages and /data on the ranks of an MPI job.
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"
#include "weft/distributed.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/mpi_request.hpp"
#include "weft/tasks/future.hpp"

#include "tests/support/comes_true.hpp"

namespace wd = weft::distributed;

namespace {

int counted_call(int number) { return number + 1; }
std::size_t length_of(const std::vector<double>& all) { return all.size(); }

/// The counters of this rank, which other ranks may read.
class rank_counters {
 public:
  double read(const std::string& name) {
    const std::lock_guard guard(mutex_);
    return session_.evaluate().number_of(name);
  }

 private:
  std::mutex mutex_;
  weft::counters::session session_{"/parcels/count/mpi/sent",
                                   "/parcels/count/mpi/received",
                                   "/messages/count/mpi/sent",
                                   "/messages/count/mpi/received",
                                   "/data/count/mpi/sent",
                                   "/data/count/mpi/received"};
};

/// The sum of a counter over all ranks.
double total(rank_counters& mine, const std::string& name) {
  return wd::all_reduce(mine.read(name), wd::reduction::sum).get();
}

}  // namespace

TEST(MpiCounters, what_all_ranks_send_they_receive) {
  const wd::runtime job;
  rank_counters mine;
  wd::barrier().get();
  constexpr int num_calls = 100;
  const std::vector<double> large(50'000);
  const int size = wd::num_localities();
  const wd::locality next((wd::here().rank() + 1) % size);

  for (int i = 0; i < num_calls; ++i) {
    EXPECT_EQ(wd::async<&counted_call>(next, i).get(), i + 1);
  }
  EXPECT_EQ(wd::async<&length_of>(next, large).get(), large.size());
  wd::quiescence().get();

  const bool has_others = size > 1;
  const double expected = has_others ? 2.0 * size * (num_calls + 1) : 0;
  EXPECT_EQ(total(mine, "/parcels/count/mpi/sent"), expected);
  EXPECT_EQ(total(mine, "/parcels/count/mpi/received"), expected);
  const double bytes = has_others ? static_cast<double>(sizeof(double) * large.size()) : 0;
  EXPECT_GE(mine.read("/data/count/mpi/sent"), bytes);
  EXPECT_GE(mine.read("/data/count/mpi/received"), bytes);
  const double received = total(mine, "/messages/count/mpi/received");  // first: counts grow
  EXPECT_GE(total(mine, "/messages/count/mpi/sent"), received);
}

TEST(MpiCounters, names_have_the_number_of_the_rank) {
  const wd::runtime job;
  const std::string own = std::to_string(wd::here().rank());

  EXPECT_THAT(weft::counters::discover("/parcels/count/mpi/sent"),
              testing::ElementsAre("/parcels{locality#" + own + "/total}/count/mpi/sent"));
}

TEST(MpiCounters, rank_0_reads_all) {
  const wd::runtime job;
  wd::barrier().get();
  const int size = wd::num_localities();
  const std::string last = std::to_string(size - 1);
  if (wd::here().rank() == 0) {
    weft::counters::session all{"/parcels{locality#*/total}/count/mpi/received",
                                "/threads{locality#*/total}/count/cumulative"};
    EXPECT_EQ(all.names().size(), 2 * static_cast<std::size_t>(size));
    for (int i = 0; i < 10; ++i) {
      wd::async<&counted_call>(wd::locality(size - 1), i).get();
    }
    const auto now = all.evaluate();

    if (size > 1) {
      EXPECT_GE(now.number_of("/parcels{locality#" + last + "/total}/count/mpi/received"), 10);
    }
    EXPECT_GE(now.number_of("/threads{locality#" + last + "/total}/count/cumulative"), 10);
  }
  wd::quiescence().get();
}

TEST(MpiCounters, some_posts_leave_before_the_receiver_takes_any) {
  const wd::runtime job;
  rank_counters mine;
  wd::barrier().get();
  constexpr int num_posts = 4;
  const int last = wd::num_localities() - 1;
  int ready = 0;
  if (last != 0 && wd::here().rank() == last) {
    weft::mpi::with_mpi([&] {  // takes no message of weft meanwhile
      MPI_Send(&ready, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      MPI_Recv(&ready, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
  } else if (last != 0 && wd::here().rank() == 0) {
    weft::mpi::with_mpi(
        [&] { MPI_Recv(&ready, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    const double before = mine.read("/messages/count/mpi/sent");
    for (int i = 1; i <= num_posts; ++i) {
      wd::post<&counted_call>(wd::locality(last), i);
      EXPECT_TRUE(weft::test::comes_true(
          [&] { return mine.read("/messages/count/mpi/sent") >= before + i; }));
    }
    weft::mpi::with_mpi([&] { MPI_Send(&ready, 1, MPI_INT, last, 0, MPI_COMM_WORLD); });
  }
  wd::quiescence().get();
}

TEST(MpiCounters, ranks_read_each_others) {
  const wd::runtime job;
  const wd::local_of<rank_counters> all;
  wd::barrier().get();
  const int size = wd::num_localities();
  constexpr int num_calls = 10;
  if (wd::here().rank() == 0) {
    for (int i = 0; i < num_calls; ++i) {
      wd::async<&counted_call>(wd::locality(size - 1), i).get();
    }
    const double received =
        all[size - 1].async<&rank_counters::read>(std::string("/parcels/count/mpi/received")).get();

    EXPECT_EQ(received, size > 1 ? num_calls + 1 : 0);  // 1: the call that reads
  }
  wd::quiescence().get();
}
