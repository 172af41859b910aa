// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges among tasks: awaited by coroutines, sent by senders, copied by workers.
#include "weft/halo/async.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sched.h>

#include "weft/execution.hpp"
#include "weft/halo.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "halo/world.hpp"

namespace {

bool is_mpi_funneled = false;
std::atomic<int> num_calls_of_mpi = 0;  // that have not returned
std::atomic<bool> was_called_at_once = false;

struct call_of_mpi {
  call_of_mpi() {
    if (num_calls_of_mpi.fetch_add(1) > 0) {
      was_called_at_once = true;
    }
    sched_yield();  // another thread may come
  }
  call_of_mpi(const call_of_mpi&) = delete;
  call_of_mpi& operator=(const call_of_mpi&) = delete;
  ~call_of_mpi() { --num_calls_of_mpi; }
};

}  // namespace

// MPI's profiling interface: the program's definition comes before the library's.
extern "C" {
int MPI_Query_thread(int* level) {
  const int code = PMPI_Query_thread(level);
  *level = is_mpi_funneled ? MPI_THREAD_FUNNELED : *level;
  return code;
}
int MPI_Start(MPI_Request* request) {
  const call_of_mpi now;
  return PMPI_Start(request);
}
int MPI_Startall(int count, MPI_Request* requests) {
  const call_of_mpi now;
  return PMPI_Startall(count, requests);
}
int MPI_Testsome(int count, MPI_Request* requests, int* num, int* which, MPI_Status* statuses) {
  const call_of_mpi now;
  return PMPI_Testsome(count, requests, num, which, statuses);
}
int MPI_Testall(int count, MPI_Request* requests, int* is_complete, MPI_Status* statuses) {
  const call_of_mpi now;
  return PMPI_Testall(count, requests, is_complete, statuses);
}
}

namespace weft::halo::test {
namespace {

namespace ex = weft::execution;
using plane = layout::right<2>;

struct known_plane {
  explicit known_plane(const cart<2>& grid, std::ptrdiff_t size = 12, std::ptrdiff_t width = 2)
      : around{.periodic = {true, true}, .cells_per_process = {size, size}} {
    for (std::size_t d = 0; d < 2; ++d) {
      around.processes[d] = grid.num_processes(d);
      around.position[d] = grid.position(d);
      box[d] = axis::inner(around.inner(d)).halo(width);
    }
    cells.resize(static_cast<std::size_t>(box[0].length * box[1].length));
  }
  void fill(int round) {
    known.emplace(around, field(cells.data(), box), 1);
    known->fill(round);
  }
  [[nodiscard]] std::string mismatch() const { return known->mismatch(); }
  double* data() { return cells.data(); }

  world<2> around;
  axes<2> box;
  std::vector<double> cells;
  std::optional<known_field<double, 2>> known;
};

cart<2> torus() { return cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}); }

runtime_options with_workers(int num_workers) {
  runtime_options options = runtime_options_from_environment();
  options.workers = num_workers;
  return options;
}

static_assert(ex::sender<pending<2>>);

lazy_task<int> exchange_in_turn(exchange<double, plane>& halos, known_plane& data) {
  int num_right = 0;
  for (int round = 0; round < 10; ++round) {
    data.fill(round);
    co_await halos.start(data.data());
    num_right += data.mismatch().empty() ? 1 : 0;
  }
  co_return num_right;
}

TEST(HaloAsync, coroutines_await_exchanges) {
  const auto grid = torus();
  known_plane data(grid);
  exchange<double, plane> halos(grid, data.box);

  EXPECT_EQ(blocking_wait(exchange_in_turn(halos, data)), 10);
}

lazy_task<int> exchange_side_by_side(lazy_task<int> one, lazy_task<int> other) {
  const auto [first, second] = co_await fork(std::move(one), std::move(other));
  co_return first + second;
}

/// Both at the same time, whose plans are made.
int num_right_side_by_side(const exchange_options& how) {
  const auto grid = torus();
  known_plane one(grid);
  known_plane other(grid);
  exchange<double, plane> of_one(grid, one.box, how);
  exchange<double, plane> of_other(grid, other.box, how);
  runtime workers(with_workers(2));
  return workers.run([&] {
    return blocking_wait(
        exchange_side_by_side(exchange_in_turn(of_one, one), exchange_in_turn(of_other, other)));
  });
}

bool must_take_turns() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_SERIALIZED;
}

TEST(HaloAsync, coroutines_exchange_at_the_same_time) {
  EXPECT_EQ(num_right_side_by_side({.transport = transport::messages}), 20);
  EXPECT_FALSE(was_called_at_once && must_take_turns());
}

TEST(HaloAsync, coroutines_whose_exchanges_are_validated_do_not_wait_for_each_other) {
  EXPECT_EQ(num_right_side_by_side(
                {.transport = transport::messages, .validate = validation::check_sums}),
            20);
  EXPECT_EQ(num_right_side_by_side({.validate = validation::check_sums}), 20);
  EXPECT_FALSE(was_called_at_once && must_take_turns());
}

TEST(HaloAsync, validated_exchanges_may_end_in_any_order) {
  const auto grid = torus();
  known_plane one(grid);
  known_plane other(grid);
  exchange<double, plane> of_one(grid, one.box, {.validate = validation::check_sums});
  exchange<double, plane> of_other(grid, other.box, {.validate = validation::check_sums});
  for (int round = 0; round < 10; ++round) {
    one.fill(round);
    other.fill(round + 1);
    auto first = of_one.start(one.data());
    auto second = of_other.start(other.data());
    MPI_Barrier(MPI_COMM_WORLD);  // so that all ranks can end that which they look at first
    auto& looked_at = grid.rank() % 2 == 0 ? first : second;
    auto& later = grid.rank() % 2 == 0 ? second : first;
    for (bool is_over = false; !is_over;) {
      is_over = looked_at.test();
      is_over = later.test() && is_over;
    }
    EXPECT_EQ(one.mismatch() + other.mismatch(), "");
  }
}

/// Moves blocks to and fro, without waiting as a task does.
lazy_task<int> move_blocks(blocks<2>& moved) {
  for (int round = 0; round < 10; ++round) {
    moved.exchange();
  }
  co_return 10;
}

TEST(HaloAsync, blocks_take_turns_with_coroutines) {
  const auto grid = torus();
  known_plane one(grid);
  known_plane other(grid);
  const exchange_options by_messages{.transport = transport::messages};
  exchange<double, plane> of_one(grid, one.box, by_messages);
  blocks<2> moved(grid, by_messages);
  const auto cells = field(other.data(), other.box);
  moved.send(cells, {.first = {0, 0}, .cells = {1, 2}}, *grid.neighbour<1, 0>());
  moved.receive(cells, {.first = {4, 0}, .cells = {1, 2}}, *grid.neighbour<-1, 0>());
  moved.exchange();
  runtime workers(with_workers(2));

  const int num_done = workers.run([&] {
    return blocking_wait(exchange_side_by_side(exchange_in_turn(of_one, one), move_blocks(moved)));
  });

  EXPECT_EQ(num_done, 20);
  EXPECT_FALSE(was_called_at_once && must_take_turns());
}

TEST(HaloAsync, a_pending_exchange_is_a_sender) {
  const auto grid = torus();
  known_plane data(grid);
  exchange<double, plane> halos(grid, data.box);
  data.fill(1);

  const auto sent =
      ex::sync_wait(halos.start(data.data()) | ex::then([&] { return data.mismatch(); }));

  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(std::get<0>(*sent), "");
}

// The only worker of rank 0 looks after an exchange that ends after the other task has run there:
// the other ranks begin theirs behind a barrier that this task enters.
TEST(HaloAsync, other_work_goes_on_meanwhile) {
  const auto grid = torus();
  known_plane data(grid);
  exchange<double, plane> halos(grid, data.box);
  data.fill(2);
  if (grid.rank() == 0) {
    runtime worker(with_workers(1));
    auto waits = ex::starts_on(worker.get_scheduler(), halos.start(data.data()));
    auto works = ex::starts_on(worker.get_scheduler(),
                               ex::just() | ex::then([] { MPI_Barrier(MPI_COMM_WORLD); }));
    EXPECT_TRUE(ex::sync_wait(ex::when_all(std::move(waits), works)).has_value());
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    halos(data.data());
  }
  EXPECT_EQ(data.mismatch(), "");
}

TEST(HaloAsync, mpi_must_take_calls_from_several_threads) {
  const auto grid = torus();
  known_plane data(grid);
  exchange<double, plane> halos(grid, data.box);
  data.fill(3);
  is_mpi_funneled = true;

  try {
    ex::sync_wait(halos.start(data.data()));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& thrown) {
    EXPECT_THAT(thrown.what(),
                testing::HasSubstr("call MPI_Init_thread with MPI_THREAD_SERIALIZED"));
  }
  is_mpi_funneled = false;
  EXPECT_EQ(data.mismatch(), "");  // the exchange was waited for all the same
}

TEST(HaloAsync, workers_of_a_runtime_copy) {
  const auto grid = torus();
  known_plane data(grid, 250, 40);
  runtime workers(with_workers(2));
  exchange<double, plane> halos(grid, data.box, {.executor = on_workers(workers)});

  for (int round = 0; round < 2; ++round) {
    data.fill(round);
    halos(data.data());
    EXPECT_EQ(data.mismatch(), "");
  }
}

/// Workers that throw after they made some of the parts, or all.
struct failing_workers {
  explicit failing_workers(std::size_t parts) : num_made(parts) {}

  executor by() {
    return {2, [this](std::size_t count, const loop_body& body) {
              home.run([&] {
                parallel_for(count,
                             [&](std::size_t n) {
                               if (n >= num_made) {
                                 throw std::runtime_error("no memory for a task");
                               }
                               body(n);
                             },
                             {.grain = 1});
                throw std::runtime_error("no worker is left");
              });
            }};
  }

  std::size_t num_made;
  runtime home{with_workers(2)};
};

lazy_task<void> exchange_once(exchange<double, plane>& halos, known_plane& data) {
  co_await halos.start(data.data());
}

TEST(HaloAsync, exchanges_are_whole_when_workers_throw) {
  const auto grid = torus();
  known_plane data(grid, 80, 80);
  for (const auto to_others : {transport::automatic, transport::messages}) {
    for (const std::size_t num_made : {0U, 1U, 1000U}) {
      failing_workers workers(num_made);
      exchange<double, plane> halos(
          grid, data.box, {.transport = to_others, .executor = workers.by()});

      data.fill(7);
      halos(data.data());
      EXPECT_EQ(data.mismatch(), "");
      data.fill(8);
      blocking_wait(exchange_once(halos, data));
      EXPECT_EQ(data.mismatch(), "");

      EXPECT_THAT(halos.report(), testing::HasSubstr("the executor threw, "));
      EXPECT_THAT(halos.report(), testing::HasSubstr(num_made < 1000 ? "no memory" : "no worker"));
    }
  }
}

}  // namespace
}  // namespace weft::halo::test
