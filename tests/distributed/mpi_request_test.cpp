// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures for the program's own MPI requests.
#include "weft/distributed/mpi_request.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/base/error.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/runtime.hpp"
#include "weft/execution.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/when_all.hpp"

namespace wd = weft::distributed;
namespace wm = weft::mpi;
namespace ex = weft::execution;

namespace mpi_request_test {
namespace {

/// A communicator whose errors are returned.
class communicator {
 public:
  communicator() {
    wm::with_mpi([&] {
      MPI_Comm_dup(MPI_COMM_WORLD, &handle_);
      MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN);
      MPI_Comm_rank(handle_, &rank_);
      MPI_Comm_size(handle_, &size_);
    });
  }
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  ~communicator() {
    wm::with_mpi([&] { MPI_Comm_free(&handle_); });
  }
  [[nodiscard]] int next() const { return (rank_ + 1) % size_; }
  [[nodiscard]] int former() const { return (rank_ + size_ - 1) % size_; }
  [[nodiscard]] weft::future<MPI_Status> send(const int& from, int tag, int count = 1) const {
    MPI_Request sending = MPI_REQUEST_NULL;
    wm::with_mpi([&] { MPI_Isend(&from, count, MPI_INT, next(), tag, handle_, &sending); });
    return wm::request(sending);
  }
  [[nodiscard]] MPI_Request start_to_receive(int& to, int tag) const {
    MPI_Request receiving = MPI_REQUEST_NULL;
    wm::with_mpi([&] { MPI_Irecv(&to, 1, MPI_INT, former(), tag, handle_, &receiving); });
    return receiving;
  }
  [[nodiscard]] weft::future<MPI_Status> receive(int& to, int tag) const {
    return wm::request(start_to_receive(to, tag));
  }
  [[nodiscard]] MPI_Comm handle() const { return handle_; }
  [[nodiscard]] int rank() const { return rank_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

weft::lazy_task<int> received_in_turn(const communicator& ranks) {
  const int sent = 10 * ranks.rank();
  int received = -1;
  weft::future<MPI_Status> sending = ranks.send(sent, 1);
  const MPI_Status status = co_await ranks.receive(received, 1);
  co_await std::move(sending);
  co_return status.MPI_SOURCE == ranks.former() && status.MPI_TAG == 1 ? received : -1;
}

}  // namespace

TEST(MpiRequest, a_receive_is_awaited) {
  const wd::runtime job;
  const communicator ranks;

  EXPECT_EQ(weft::blocking_wait(received_in_turn(ranks)), 10 * ranks.former());
}

TEST(MpiRequest, tasks_wait_while_weft_s_messages_travel) {
  const wd::runtime job;
  const communicator ranks;
  weft::default_runtime().run([&] {
    int received = -1;
    weft::future<MPI_Status> receiving = ranks.receive(received, 2);
    // The message is sent only after this call was answered.
    EXPECT_EQ(wd::async(wd::locality(ranks.next()), [](int n) { return n + 1; }, 4).get(), 5);
    const int sent = ranks.rank();
    ranks.send(sent, 2).get();
    receiving.get();
    EXPECT_EQ(received, ranks.former());
  });
}

TEST(MpiRequest, many_requests_complete_in_any_order) {
  constexpr std::size_t num_requests = 1000;
  const wd::runtime job;
  const communicator ranks;
  std::vector<int> tags(num_requests);
  std::iota(tags.begin(), tags.end(), 0);
  std::vector<int> received(num_requests, -1);
  std::vector<weft::future<MPI_Status>> receiving;
  receiving.reserve(num_requests);
  for (const int tag : tags) {
    receiving.push_back(ranks.receive(received[static_cast<std::size_t>(tag)], tag));
  }
  std::mt19937 random(static_cast<unsigned>(ranks.rank()));
  std::ranges::shuffle(tags, random);
  std::vector<weft::future<MPI_Status>> sending;
  sending.reserve(num_requests);
  for (const int& tag : tags) {
    sending.push_back(ranks.send(tag, tag));
  }
  for (std::size_t i = 0; i < num_requests; ++i) {
    EXPECT_EQ(receiving[i].get().MPI_TAG, static_cast<int>(i));
    EXPECT_EQ(received[i], static_cast<int>(i));
  }
  for (weft::future<MPI_Status>& each : sending) {
    each.get();
  }
}

TEST(MpiRequest, several_are_awaited_together) {
  const wd::runtime job;
  const communicator ranks;
  std::array<int, 2> received{-1, -1};
  const std::array<int, 2> sent{ranks.rank() + 1, ranks.rank() + 2};
  auto receiving = ex::when_all(ranks.receive(received[0], 1), ranks.receive(received[1], 2));
  auto sending = weft::when_all_ready(ranks.send(sent[0], 1), ranks.send(sent[1], 2));

  const auto statuses = ex::sync_wait(std::move(receiving));
  ASSERT_TRUE(statuses.has_value());
  EXPECT_EQ(std::get<0>(*statuses).MPI_TAG, 1);
  EXPECT_EQ(std::get<1>(*statuses).MPI_TAG, 2);
  EXPECT_THAT(received, testing::ElementsAre(ranks.former() + 1, ranks.former() + 2));
  sending.get();
}

TEST(MpiRequest, null_and_inactive_requests_are_complete) {
  const wd::runtime job;
  const communicator ranks;
  EXPECT_NO_THROW(wm::request(MPI_REQUEST_NULL).get());

  int received = -1;
  MPI_Request persistent = MPI_REQUEST_NULL;
  wm::with_mpi([&] {
    MPI_Recv_init(&received, 1, MPI_INT, ranks.former(), 5, ranks.handle(), &persistent);
  });
  EXPECT_NO_THROW(wm::request(persistent).get());  // not started
  for (int round = 0; round < 3; ++round) {
    wm::with_mpi([&] { MPI_Start(&persistent); });
    weft::future<MPI_Status> receiving = wm::request(persistent);
    ranks.send(round, 5).get();
    EXPECT_EQ(receiving.get().MPI_TAG, 5);
    EXPECT_EQ(received, round);
  }
  wm::with_mpi([&] { MPI_Request_free(&persistent); });
}

TEST(MpiRequest, a_cancelled_receive_is_complete) {
  const wd::runtime job;
  const communicator ranks;
  int never = 0;
  MPI_Request receiving = ranks.start_to_receive(never, 77);
  weft::future<MPI_Status> cancelled = wm::request(receiving);
  wm::with_mpi([&] { MPI_Cancel(&receiving); });

  const MPI_Status status = cancelled.get();
  int is_cancelled = 0;
  wm::with_mpi([&] { MPI_Test_cancelled(&status, &is_cancelled); });
  EXPECT_NE(is_cancelled, 0);
}

TEST(MpiRequest, a_failed_request_says_why) {
  const wd::runtime job;
  const communicator ranks;
  if (ranks.next() == ranks.rank()) {
    return;  // Open MPI does not report it for messages to the own rank
  }
  // MPICH asks these communicators what to do about requests, whatever theirs says.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::array<int, 4> received{};
  std::vector<weft::future<MPI_Status>> good;
  const std::array<int, 4> sent{1, 2, 3, 4};
  weft::future<MPI_Status> too_small = ranks.receive(received[0], 1);
  good.push_back(ranks.receive(received[1], 2));
  good.push_back(ranks.send(sent[0], 1, 3));  // three numbers for a buffer of one
  good.push_back(ranks.send(sent[3], 2));
  try {
    too_small.get();
    ADD_FAILURE() << "the message was longer than the buffer";
  } catch (const weft::error& failed) {
    EXPECT_THAT(failed.what(), testing::ContainsRegex("MPI_Test.*(trunc|TRUNC)"));
  }
  for (weft::future<MPI_Status>& each : good) {
    EXPECT_NO_THROW(each.get());
  }
  EXPECT_EQ(received[1], 4);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

TEST(MpiRequest, a_function_that_throws_releases_mpi) {
  const wd::runtime job;
  EXPECT_THROW(wm::with_mpi([] { throw std::domain_error("within with_mpi"); }), std::domain_error);
  EXPECT_THROW(wm::with_mpi([] { wm::with_mpi([] {}); }), weft::error);
  EXPECT_EQ(wm::with_mpi([] { return 42; }), 42);
  wd::barrier().get();
}

TEST(MpiRequest, requests_that_the_runtime_does_not_see_end_fail) {
  std::optional<wd::runtime> job(std::in_place);
  int never = 0;
  MPI_Request receiving = MPI_REQUEST_NULL;
  wm::with_mpi([&] { MPI_Irecv(&never, 1, MPI_INT, 0, 99, MPI_COMM_SELF, &receiving); });
  weft::future<MPI_Status> lost = wm::request(receiving);
  job.reset();
  EXPECT_THROW(lost.get(), weft::error);
  EXPECT_THROW(static_cast<void>(wm::request(MPI_REQUEST_NULL)), weft::error);
  MPI_Cancel(&receiving);
  MPI_Wait(&receiving, MPI_STATUS_IGNORE);
}

}  // namespace mpi_request_test
