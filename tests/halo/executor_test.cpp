// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies on several threads: every byte once, whoever copies it.
#include "weft/halo/executor.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"

#include "halo/copy.hpp"
#include "halo/copy_list.hpp"
#include "halo/world.hpp"

namespace weft::halo::test {
namespace {

/// Exchanges a field whose halos are large enough to be shared out.
void expect_right(const exchange_options& options) {
  constexpr std::ptrdiff_t cells = 250;
  const cart<2> grid(MPI_COMM_WORLD, {.periodic = {true, true}});
  world<2> around{.periodic = {true, true}, .cells_per_process = {cells, cells}};
  for (std::size_t d = 0; d < 2; ++d) {
    around.processes[d] = grid.num_processes(d);
    around.position[d] = grid.position(d);
  }
  const axes<2> box{axis::inner(around.inner(0)).halo(40), axis::inner(around.inner(1)).halo(40)};
  std::vector<double> memory(static_cast<std::size_t>(box[0].length * box[1].length));
  known_field<double, 2> known(around, field(memory.data(), box), 1);
  exchange<double, layout::right<2>> ex(grid, box, options);
  for (int round = 0; round < 2; ++round) {
    known.fill(round);
    ex(memory.data());
    EXPECT_EQ(known.mismatch(), "")
        << to_string(options.packing) << ", " << to_string(options.schedule) << ", "
        << to_string(options.transport);
  }
}

TEST(Executor, any_callable_that_loops_will_do) {
  std::size_t most = 0;
  const executor backwards(3, [&most](std::size_t count, const loop_body& body) {
    most = std::max(most, count);
    for (std::size_t n = count; n-- > 0;) {
      body(n);
    }
  });

  for (const auto how : {packing::automatic, packing::mpi_pack, packing::direct}) {
    for (const auto to_others : {transport::automatic, transport::messages}) {
      expect_right({.packing = how, .transport = to_others, .executor = backwards});
    }
  }
  for (const auto steps : {schedule::bulk, schedule::staged}) {
    expect_right({.schedule = steps, .executor = backwards});
  }
  EXPECT_EQ(most, 3U);
}

TEST(Executor, its_threads_copy_at_the_same_time) {
  const executor threads(2, [](std::size_t count, const loop_body& body) {
    std::vector<std::jthread> running;
    running.reserve(count);
    for (std::size_t n = 0; n < count; ++n) {
      running.emplace_back([&body, n] { body(n); });
    }
  });

  expect_right({.executor = threads});
}

TEST(Executor, one_thread_is_not_asked) {
  bool was_asked = false;
  const executor alone(1, [&](std::size_t, const loop_body&) { was_asked = true; });

  expect_right({.executor = alone});

  EXPECT_FALSE(was_asked);
}

/// Throws once, when it is told to.
struct failing_once {
  bool fails = false;
  executor by() {
    return {2, [this](std::size_t count, const loop_body& body) {
              if (std::exchange(fails, false)) {
                throw std::runtime_error("no threads");
              }
              for (std::size_t n = 0; n < count; ++n) {
                body(n);
              }
            }};
  }
};

TEST(Executor, copies_that_failed_are_not_done_later) {
  constexpr std::size_t size = 200'000;
  const std::vector<std::byte> from(size, std::byte{1});
  std::vector<std::byte> gone(size);
  std::vector<std::byte> into(size);
  failing_once threads{.fails = true};
  detail::copy_list copies(threads.by());
  detail::box_copy block;
  block.block_bytes = size;
  const detail::sweep whole{.first = block};

  copies.add(whole, gone.data(), from.data());
  EXPECT_THROW(copies.run(), std::runtime_error);
  copies.add(whole, into.data(), from.data());
  copies.run();

  EXPECT_EQ(gone, std::vector<std::byte>(size));
  EXPECT_EQ(into, from);
}

TEST(Executor, blocks_that_could_not_start_can_be_started_again) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  constexpr std::ptrdiff_t size = 50'000;
  const axes<1> box{axis::inner(size)};
  failing_once threads{.fails = ring.rank() == 0};
  std::vector<double> from(size, ring.rank() + 1);
  std::vector<double> into(size);
  blocks<1> moved(ring, {.packing = packing::loops, .executor = threads.by()});
  moved.send(field(from.data(), box), inner_block(box), *ring.neighbour<1>());
  moved.receive(field(into.data(), box), inner_block(box), *ring.neighbour<-1>());

  if (ring.rank() == 0) {
    EXPECT_THROW(moved.exchange(), std::runtime_error);
    if (ring.size() == 1) {
      moved.wait();  // copies within a rank are last: there the failed one is over
    }
  }
  for (int round = 0; round < 2; ++round) {
    moved.exchange();
  }

  EXPECT_EQ(into, std::vector<double>(size, *ring.neighbour<-1>() + 1));
}

TEST(Executor, subdomains_can_be_waited_for_after_it_threw) {
  int num_ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {2 * num_ranks}, .periodic = {true}});
  const std::vector<axes<1>> boxes(2, axes<1>{axis::inner(20'000).halo(20'000)});
  const auto parts = make_field<double>(among, boxes);  // nothing is packed
  failing_once threads;
  subdomain_exchange<double, layout::right<1>> exchange(among, boxes, {.executor = threads.by()});

  for (std::size_t part = 0; part < 2; ++part) {
    std::fill_n(parts.part(part).data, boxes[part][0].length, among.mine()[part]);
  }
  threads.fails = true;
  EXPECT_THROW(exchange.start(parts), std::runtime_error);
  exchange.wait();
  exchange(parts);

  for (std::size_t part = 0; part < 2; ++part) {
    const auto cells = parts.part(part);
    EXPECT_EQ(cells(0), *among.neighbour(among.mine()[part], {-1}));
    EXPECT_EQ(cells(59'999), *among.neighbour(among.mine()[part], {1}));
  }
}

TEST(Executor, parts_cover_every_byte_once) {
  constexpr std::size_t size = 500'000;
  constexpr std::ptrdiff_t long_bytes = 300'001;
  constexpr std::ptrdiff_t row_bytes = 24;  // of which two blocks of 8 are copied
  const std::vector<std::byte> from(size, std::byte{1});
  std::vector<std::byte> into(size);
  std::vector<int> times(size);
  std::size_t num_parts = 0;
  detail::copy_list copies(executor(7, [&](std::size_t count, const loop_body& body) {
    num_parts = count;
    for (std::size_t part = 0; part < count; ++part) {
      body(part);
      for (std::size_t n = 0; n < size; ++n) {
        times[n] += into[n] == std::byte{1} ? 1 : 0;
        into[n] = std::byte{0};
      }
    }
  }));

  detail::box_copy block;
  block.block_bytes = long_bytes;
  const auto rows_at = [](std::ptrdiff_t offset) {
    const detail::box_side side{.offset = offset, .strides = {0, 0, 1000 * row_bytes, row_bytes}};
    return detail::box_copy{
        .counts = {1, 1, 5, 1000}, .into = side, .from = side, .block_bytes = 8};
  };
  const detail::sweep whole{.first = block};
  const detail::sweep rows{
      .first = rows_at(long_bytes), .second = rows_at(long_bytes + 8), .is_pair = true};
  copies.add(whole, into.data(), from.data());
  copies.add(rows, into.data(), from.data());
  copies.run();

  EXPECT_EQ(num_parts, 5U);  // of 64 KiB at least
  for (std::size_t n = 0; n < size; ++n) {
    const auto at = static_cast<std::ptrdiff_t>(n) - long_bytes;
    const bool is_copied = at < 0 || (at < 5000 * row_bytes && at % row_bytes < 16);
    ASSERT_EQ(times[n], is_copied ? 1 : 0) << n;
  }
}

}  // namespace
}  // namespace weft::halo::test
