// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies on several threads: every byte once, whoever copies it.
#include "weft/halo/executor.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/counters/session.hpp"
#include "weft/halo.hpp"

#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/two_fields.hpp"
#include "halo/world.hpp"

namespace weft::halo::test {
namespace executor_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::string described(const exchange_options& options) {
  return std::string(to_string(options.packing)) + ", " + std::string(to_string(options.schedule)) +
         ", " + std::string(to_string(options.transport));
}

/// A field whose halos are large enough to be shared out.
struct wide_field {
  explicit wide_field(const cart<2>& grid)
      : around(world_of(grid, 250)),
        box(box_of(around, 40)),
        memory(static_cast<std::size_t>(box[0].length * box[1].length)),
        known(around, field(memory.data(), box), 1) {}

  world<2> around;
  axes<2> box;
  std::vector<double> memory;
  known_field<double, 2> known;
};

void expect_right(const exchange_options& options) {
  const auto grid = periodic_grid();
  wide_field data(grid);
  exchange<double, layout::right<2>> ex(grid, data.box, options);
  for (int round = 0; round < 2; ++round) {
    data.known.fill(round);
    ex(data.memory.data());
    EXPECT_EQ(data.known.mismatch(), "") << described(options);
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

TEST(Executor, what_it_leaves_out_the_caller_copies) {
  const auto nothing = [](std::size_t, const loop_body&) {};
  const auto all_but_one = [](std::size_t count, const loop_body& body) {
    for (std::size_t n = 1; n < count; ++n) {
      body(n);
    }
    body(1);
  };
  const auto grid = periodic_grid();
  for (const executor& lazy : {executor(3, nothing), executor(3, all_but_one)}) {
    wide_field data(grid);
    exchange<double, layout::right<2>> ex(grid, data.box, {.executor = lazy});
    data.known.fill(0);

    ex(data.memory.data());

    EXPECT_EQ(data.known.mismatch(), "");
    EXPECT_THAT(ex.report(), HasSubstr("times (first: it left calls out)"));
  }
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

enum class thrown : std::uint8_t { exception, halo_error, number };

/// Throws in one of its calls, or in all, after it made some of the parts.
struct failing {
  static constexpr int never = -1;
  static constexpr int always = -2;

  int call = always;         // that throws, counted down from here
  std::size_t num_made = 0;  // parts, before it throws
  thrown what = thrown::exception;
  int num_thrown = 0;

  executor by() {
    return {2, [this](std::size_t count, const loop_body& body) {
              const bool throws = throws_now();
              for (std::size_t n = 0; n < (throws ? std::min(num_made, count) : count); ++n) {
                body(n);
              }
              if (throws) {
                ++num_thrown;
                throw_it();
              }
            }};
  }

 private:
  bool throws_now() {
    if (call < 0) {
      return call == always;
    }
    --call;
    return call == never;  // from here on
  }
  void throw_it() const {
    switch (what) {
      case thrown::exception:
        throw std::runtime_error("no threads");
      case thrown::halo_error:
        throw error(errc::unsupported, "no threads here");
      case thrown::number:
        throw 7;
    }
  }
};

constexpr std::array all_thrown{thrown::exception, thrown::halo_error, thrown::number};
constexpr std::array all_transports{transport::automatic, transport::messages};

TEST(Executor, copies_it_threw_out_of_are_made_by_the_caller) {
  constexpr std::size_t size = 200'000;
  std::vector<std::byte> into(size);
  detail::box_copy block;
  block.block_bytes = size;
  const detail::sweep whole{.first = block};
  for (const thrown what : all_thrown) {
    for (const std::size_t num_made : {0U, 1U, 2U}) {
      failing threads{.num_made = num_made, .what = what};
      detail::copy_list copies(threads.by());
      EXPECT_EQ(copies.report(), "");
      for (int round = 1; round <= 2; ++round) {
        const std::vector<std::byte> from(size, static_cast<std::byte>(round));
        copies.add(whole, into.data(), from.data());
        copies.run();
        EXPECT_EQ(into, from) << num_made;
        EXPECT_EQ(threads.num_thrown, round);
      }
      const std::string first = what == thrown::exception    ? "no threads"
                                : what == thrown::halo_error ? "no threads here"
                                                             : "what is no std::exception";
      EXPECT_THAT(copies.report(),
                  HasSubstr("the executor threw, or left calls out, 2 times (first: "));
      EXPECT_THAT(copies.report(), HasSubstr(first));
    }
  }
}

/// Rank 0's executor throws in the first call of one exchange, the second of the next, and so on,
/// until none is left: after none of its parts, one, or all, in turn.
void expect_right_whichever_call_throws(exchange_options options, std::size_t first_num_made) {
  const auto grid = periodic_grid();
  wide_field data(grid);
  failing threads{.call = failing::never};
  options.executor = threads.by();
  exchange<double, layout::right<2>> ex(grid, data.box, options);
  int num_before = 0;
  for (int round = 0; round == num_before; ++round) {
    threads.call = grid.rank() == 0 ? round : failing::never;
    threads.num_made = (first_num_made + static_cast<std::size_t>(round)) % 3;
    data.known.fill(round);
    ex(data.memory.data());
    EXPECT_EQ(data.known.mismatch(), "") << described(options) << ", call " << round;
    num_before = threads.num_thrown;
    MPI_Bcast(&num_before, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  EXPECT_GE(num_before, 1) << described(options);
}

TEST(Executor, exchanges_are_whole_whichever_call_throws) {
  std::size_t num_made = 0;
  for (const auto steps : {schedule::automatic, schedule::bulk, schedule::staged}) {
    for (const auto to_others : all_transports) {
      expect_right_whichever_call_throws({.schedule = steps, .transport = to_others}, num_made++);
    }
  }
}

TEST(Executor, exchanges_are_whole_when_it_always_throws) {
  const auto grid = periodic_grid();  // counters are there from the first one on
  counters::session session{"/halo/count/executor-throws"};
  wide_field data(grid);
  std::int64_t num_thrown = 0;
  for (const thrown what : all_thrown) {
    failing threads{.what = what};
    exchange<double, layout::right<2>> ex(grid, data.box, {.executor = threads.by()});
    EXPECT_THAT(ex.report(), Not(HasSubstr("the executor threw")));

    data.known.fill(0);
    ex(data.memory.data());
    EXPECT_EQ(data.known.mismatch(), "");

    data.known.fill(1);
    auto tested = ex.start(data.memory.data());
    while (!tested.test()) {
    }
    EXPECT_EQ(data.known.mismatch(), "");

    data.known.fill(2);
    auto told = ex.start(data.memory.data());
    while (const auto side = told.wait_any_side()) {
      EXPECT_EQ(data.known.mismatch_towards(*side), "");
    }
    told.wait();
    EXPECT_EQ(data.known.mismatch(), "");

    data.known.fill(3);
    {
      const auto left = ex.start(data.memory.data());
    }
    EXPECT_EQ(data.known.mismatch(), "");

    EXPECT_THAT(ex.report(),
                HasSubstr("the executor threw, or left calls out, " +
                          std::to_string(threads.num_thrown) + " times"));
    num_thrown += threads.num_thrown;
  }
  EXPECT_GE(num_thrown, 12);
  EXPECT_EQ(session.evaluate().number_of("/halo/count/executor-throws"), num_thrown);
}

TEST(Executor, exchanges_that_end_under_way_are_whole_when_it_always_throws) {
  const auto grid = periodic_grid();
  wide_field data(grid);
  for (const auto to_others : all_transports) {
    failing threads{.num_made = 1};
    data.known.fill(0);
    {
      std::optional<exchange<double, layout::right<2>>> ex(
          std::in_place,
          grid,
          data.box,
          exchange_options{.transport = to_others, .executor = threads.by()});
      const auto left = ex->start(data.memory.data());
      ex.reset();
    }
    EXPECT_EQ(data.known.mismatch(), "");
    EXPECT_GE(threads.num_thrown, 1);
  }
}

TEST(Executor, nothing_is_added_twice_when_it_throws) {
  const auto grid = periodic_grid();
  wide_field data(grid);
  const auto sums_by = [&](const exchange_options& options) {
    exchange<double, layout::right<2>> ex(grid, data.box, options);
    for (std::size_t n = 0; n < data.memory.size(); ++n) {
      data.memory[n] = static_cast<double>(n % 1000) + grid.rank();
    }
    ex.reverse(std::plus<>(), data.memory.data());
    ex.reverse(std::plus<>(), data.memory.data());
    return data.memory;
  };
  int num_thrown = 0;
  for (const auto steps : {schedule::bulk, schedule::automatic}) {
    for (const auto to_others : all_transports) {
      for (const std::size_t num_made : {0U, 1U, 2U}) {
        exchange_options options{.schedule = steps, .transport = to_others};
        const auto expected = sums_by(options);
        failing threads{.num_made = num_made};
        options.executor = threads.by();
        EXPECT_EQ(sums_by(options), expected) << described(options) << ", " << num_made;
        num_thrown += threads.num_thrown;
      }
    }
  }
  EXPECT_GE(num_thrown, grid.size() > 1 ? 1 : 0);  // sums within a rank do not reach it
}

TEST(Executor, blocks_are_whole_when_it_throws) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  constexpr std::ptrdiff_t size = 50'000;
  const axes<1> box{axis::inner(size)};
  std::vector<double> from(size);
  std::vector<double> into(size);
  for (const auto to_others : all_transports) {
    for (const thrown what : all_thrown) {
      failing threads{.num_made = 1, .what = what};
      blocks<1> moved(
          ring, {.packing = packing::loops, .transport = to_others, .executor = threads.by()});
      moved.send(field(from.data(), box), inner_block(box), *ring.neighbour<1>());
      moved.receive(field(into.data(), box), inner_block(box), *ring.neighbour<-1>());
      for (int round = 0; round < 3; ++round) {
        from.assign(size, 10 * round + ring.rank());
        moved.exchange();
        EXPECT_EQ(into, std::vector<double>(size, 10 * round + *ring.neighbour<-1>()));
      }
      EXPECT_THAT(moved.report(),
                  HasSubstr("the executor threw, or left calls out, " +
                            std::to_string(threads.num_thrown) + " times"));
      EXPECT_GE(threads.num_thrown, 3);
    }
  }
}

TEST(Executor, blocks_that_end_under_way_are_whole_when_it_always_throws) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  constexpr std::ptrdiff_t size = 50'000;
  const axes<1> box{axis::inner(size)};
  std::vector<double> from(size, ring.rank() + 1);
  for (const auto to_others : all_transports) {
    failing threads{.what = thrown::number};
    std::vector<double> into(size);
    {
      blocks<1> moved(
          ring, {.packing = packing::loops, .transport = to_others, .executor = threads.by()});
      moved.send(field(from.data(), box), inner_block(box), *ring.neighbour<1>());
      moved.receive(field(into.data(), box), inner_block(box), *ring.neighbour<-1>());
      moved.start();
    }
    EXPECT_EQ(into, std::vector<double>(size, *ring.neighbour<-1>() + 1));
    EXPECT_GE(threads.num_thrown, 1);
  }
}

/// Two lines on each rank, as long as their halos, all of which travel. Parts: pointers, or a
/// field.
template <class Parts>
void expect_lines_whole(const subdomains<1>& among,
                        const Parts& parts,
                        const std::array<double*, 2>& data,
                        const exchange_options& options) {
  constexpr std::ptrdiff_t size = 20'000;
  const std::vector<axes<1>> boxes(2, axes<1>{axis::inner(size).halo(size)});
  subdomain_exchange<double, layout::right<1>> exchange(among, boxes, options);
  for (int round = 0; round < 4; ++round) {
    const auto value = [&](int subdomain) { return 100.0 * round + subdomain; };
    for (std::size_t part = 0; part < 2; ++part) {
      std::fill_n(data[part], 3 * size, -1.0);
      std::fill_n(data[part] + size, size, value(among.mine()[part]));
    }
    exchange(parts);
    for (std::size_t part = 0; part < 2; ++part) {
      const int own = among.mine()[part];
      const auto is = [&](std::ptrdiff_t first, double wanted) {
        return std::count(data[part] + first, data[part] + first + size, wanted) == size;
      };
      EXPECT_TRUE(is(0, value(*among.neighbour(own, {-1})))) << round;
      EXPECT_TRUE(is(size, value(own))) << round;
      EXPECT_TRUE(is(2 * size, value(*among.neighbour(own, {1})))) << round;
    }
  }
}

TEST(Executor, subdomains_are_whole_when_it_throws) {
  int num_ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {2 * num_ranks}, .periodic = {true}});
  const std::vector<axes<1>> boxes(2, axes<1>{axis::inner(20'000).halo(20'000)});
  const auto shared = make_field<double>(among, boxes);
  std::vector<double> own(120'000);
  for (const auto to_others : all_transports) {
    std::size_t num_made = 0;
    for (const int call : {failing::always, 0, 1, 2, 3, 4, 5}) {
      failing threads{.call = call, .num_made = num_made++ % 3};
      const exchange_options options{.transport = to_others, .executor = threads.by()};
      expect_lines_whole(among, shared, {shared.part(0).data, shared.part(1).data}, options);
      threads.call = call;
      const std::array<double*, 2> apart{own.data(), own.data() + 60'000};
      expect_lines_whole(among, apart, apart, options);
      EXPECT_GE(threads.num_thrown, call == failing::always ? 8 : call < 4 ? 2 : 0) << call;
    }
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

}  // namespace executor_test
}  // namespace weft::halo::test
