// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every cell of many exchanges, drawn at random from everything that can be chosen.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"
#include "weft/halo/detail/grid.hpp"

#include "halo/plan/plan.hpp"
#include "halo/random_parts.hpp"
#include "halo/world.hpp"

namespace weft::halo::test {
namespace random_worlds_test {

exchange_options random_options(dice& with) {
  exchange_options options;
  options.packing = static_cast<packing>(with.roll(5));
  options.schedule = static_cast<schedule>(with.roll(3));
  options.transport = static_cast<transport>(with.roll(2));
  if (options.schedule != schedule::staged) {
    options.directions =
        with.roll(3) == 0 ? static_cast<directions>(with.roll(3)) : directions::all;
  }
  return options;
}

/// A field in memory of its own or in memory that the node shares.
template <class Value, std::size_t num_dims>
class random_field {
 public:
  random_field(const cart<num_dims>& grid, const world<num_dims>& around, int number, dice& with)
      : processes_(grid.shared_grid()) {
    const axes<num_dims> box = random_box(around, with);
    const layout::strided<num_dims> how = random_layout(box, with);
    const std::size_t size = num_elements(box, how);
    Value* cells = nullptr;
    if (with.roll(3) == 0) {
      segment_ = processes_->share(size * sizeof(Value));
      cells =
          reinterpret_cast<Value*>(processes_->shared_memory(segment_, processes_->node_rank()));
    } else {
      own_.resize(size);
      cells = own_.data();
    }
    view = halo::field(cells, box, how);
    known.emplace(around, view, number);
  }
  ~random_field() {
    if (segment_ >= 0) {
      processes_->unshare(segment_);
    }
  }
  random_field(const random_field&) = delete;
  random_field& operator=(const random_field&) = delete;

  /// Expects halos to be filled in these directions from now on.
  void expect(directions which) { known->expect(which); }

  field_view<Value, num_dims> view;
  std::optional<known_field<Value, num_dims>> known;

 private:
  std::shared_ptr<detail::grid> processes_;
  std::int64_t segment_ = -1;
  std::vector<Value> own_;
};

template <std::size_t num_dims>
std::string described(const cart<num_dims>& grid, const exchange_options& options) {
  std::string text = "dims";
  for (std::size_t d = 0; d < num_dims; ++d) {
    text += " " + std::to_string(grid.num_processes(d)) + (grid.is_periodic(d) ? "p" : "");
  }
  return text + ", " + std::string(to_string(options.packing)) + ", " +
         std::string(to_string(options.schedule)) + ", " +
         std::string(to_string(options.directions)) + ", " +
         std::string(to_string(options.transport));
}

/// Those of all ranks, sorted.
std::vector<std::uint64_t> gathered(const std::vector<std::uint64_t>& own) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto num_own = static_cast<int>(own.size());
  std::vector<int> nums(static_cast<std::size_t>(size));
  MPI_Allgather(&num_own, 1, MPI_INT, nums.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> begins(nums.size());
  std::exclusive_scan(nums.begin(), nums.end(), begins.begin(), 0);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(begins.back() + nums.back()));
  MPI_Allgatherv(own.data(),
                 num_own,
                 MPI_UINT64_T,
                 all.data(),
                 nums.data(),
                 begins.data(),
                 MPI_UINT64_T,
                 MPI_COMM_WORLD);
  std::ranges::sort(all);
  return all;
}

/// What neighbours' halos add up to: each inner cell gets its own number from each of its copies,
/// wherever they are, and no other cell changes.
template <std::size_t num_dims>
void expect_sums(exchange_any<num_dims>& exchange,
                 const random_field<int, num_dims>& field,
                 const std::string& what) {
  using kind = typename known_field<int, num_dims>::kind;
  const auto number_of = [](std::uint64_t global) { return static_cast<int>(global % 1000) + 1; };
  std::vector<std::uint64_t> copies;
  field.known->for_kinds([&](kind of, std::uint64_t global, int& cell) {
    cell = of == kind::inner ? 0 : of == kind::filled ? number_of(global) : 7;
    if (of == kind::filled) {
      copies.push_back(global);
    }
  });
  const std::vector<std::uint64_t> all = gathered(copies);

  exchange.reverse(std::plus<>(), field.view);

  int num_wrong = 0;
  field.known->for_kinds([&](kind of, std::uint64_t global, const int& cell) {
    const auto num_copies = static_cast<int>(std::ranges::equal_range(all, global).size());
    const int expected = of == kind::other ? 7 : number_of(global);
    num_wrong += cell == (of == kind::inner ? num_copies * expected : expected) ? 0 : 1;
  });
  EXPECT_EQ(num_wrong, 0) << what;
}

/// Three fields of one world.
template <std::size_t num_dims>
struct random_fields {
  random_fields(const cart<num_dims>& grid, const world<num_dims>& around, dice& with)
      : first(grid, around, 1, with), second(grid, around, 2, with), third(grid, around, 3, with) {}

  void expect(directions which) {
    first.expect(which);
    second.expect(which);
    third.expect(which);
  }
  void fill(int round) {
    first.known->fill(round);
    second.known->fill(round);
    third.known->fill(round);
  }
  void expect_right(const std::string& what) const {
    EXPECT_EQ(first.known->mismatch(), "") << what;
    EXPECT_EQ(second.known->mismatch(), "") << what;
    EXPECT_EQ(third.known->mismatch(), "") << what;
  }

  random_field<double, num_dims> first;
  random_field<rgb, num_dims> second;
  random_field<int, num_dims> third;
};

/// Directions that halos are filled in.
template <std::size_t num_dims>
std::size_t num_sides(const cart<num_dims>& grid, directions which) {
  const auto all = detail::directions_of(num_dims);
  return static_cast<std::size_t>(std::ranges::count_if(all, [&](const detail::direction& each) {
    return detail::is_wanted(each, which) && grid.shared_grid()->neighbour(each) >= 0;
  }));
}

/// A side that is told of is filled, though others are not yet; all of them are told of once.
template <std::size_t num_dims>
void expect_right_sides(exchange_any<num_dims>& exchange,
                        const cart<num_dims>& grid,
                        random_fields<num_dims>& fields,
                        directions which,
                        const std::string& what) {
  auto under_way = exchange.start(fields.first.view, fields.second.view, fields.third.view);
  std::vector<std::array<int, num_dims>> told;
  while (const auto side = under_way.wait_any_side()) {
    EXPECT_EQ(fields.first.known->mismatch_towards(*side), "") << what;
    EXPECT_EQ(fields.second.known->mismatch_towards(*side), "") << what;
    EXPECT_EQ(fields.third.known->mismatch_towards(*side), "") << what;
    told.push_back(*side);
  }
  std::ranges::sort(told);
  EXPECT_EQ(std::ranges::adjacent_find(told), told.end()) << what;
  EXPECT_EQ(told.size(), num_sides(grid, which)) << what;
}

/// Late and bound, in steps and at once, forwards and backwards.
template <std::size_t num_dims>
void expect_right(const cart<num_dims>& grid,
                  random_fields<num_dims>& fields,
                  const exchange_options& options,
                  const std::string& what) {
  auto& [first, second, third] = fields;
  fields.expect(options.directions);
  exchange_any<num_dims> exchange(grid, options);
  auto bound = exchange.bind(first.view, second.view);
  for (int round = 0; round < 5; ++round) {
    fields.fill(round);
    if (round == 0) {
      exchange(first.view, second.view, third.view);
    } else if (round == 1) {
      bound();
      exchange(third.view);
    } else if (round == 2) {
      exchange.pack(first.view, second.view, third.view);
      exchange.start();
      exchange.wait();
      exchange.unpack(first.view, second.view, third.view);
    } else if (round == 3) {
      expect_right_sides(exchange, grid, fields, options.directions, what);
    } else {
      auto one = bound.start();
      auto other = exchange.start(third.view);
      while (!one.test()) {
        other.progress();
      }
      other.wait();
    }
    fields.expect_right(what);
  }
  expect_sums(exchange, third, what);
}

constexpr int num_ways = 6;  // of exchanging the fields of one world

template <std::size_t num_dims>
void expect_right(std::uint64_t seed, int num_processes) {
  dice with(seed);
  cart_options<num_dims> arrangement{.dims = random_dims<num_dims>(num_processes, with)};
  for (bool& each : arrangement.periodic) {
    each = with.roll(3) > 0;
  }
  arrangement.maps_to = random_order<num_dims>(with);
  const cart<num_dims> grid(MPI_COMM_WORLD, arrangement);
  world<num_dims> around{.periodic = arrangement.periodic};
  // Rows of more than a cache line, and more than a page of them, take other ways.
  constexpr std::ptrdiff_t many_cells = num_dims > 3 ? 10 : 30;
  const auto long_dim = static_cast<std::size_t>(with.roll(2 * num_dims));
  for (std::size_t d = 0; d < num_dims; ++d) {
    const auto along = static_cast<std::size_t>(arrangement.maps_to[d]);
    around.processes[d] = arrangement.dims[along];
    around.position[d] = grid.coords()[along];
    around.cells_per_process[d] =
        (d == long_dim ? many_cells : 1) + with.roll(num_dims > 3 ? 3 : 5);
  }
  random_fields<num_dims> fields(grid, around, with);
  for (int n = 0; n < num_ways; ++n) {
    const exchange_options options = random_options(with);
    expect_right(grid,
                 fields,
                 options,
                 "seed " + std::to_string(seed) + ": " + described(grid, options) + ": ");
  }
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Where ranks share CPUs, each step waits for all the others' time slices.
int num_worlds(int num_ranks) {
  return num_ranks <= 2 ? 20 : num_ranks <= 4 ? 10 : num_ranks <= 8 ? 4 : 2;
}

/// Each number of ranks has worlds of its own.
template <std::size_t num_dims>
void expect_all_right() {
  constexpr int most_worlds = 100;
  const int first = world_size() * most_worlds;
  for (int n = first; n < first + num_worlds(world_size()); ++n) {
    expect_right<num_dims>(static_cast<std::uint64_t>(n) * 10 + num_dims, world_size());
  }
}

TEST(RandomWorlds, every_cell_is_right_in_1_dimension) { expect_all_right<1>(); }
TEST(RandomWorlds, every_cell_is_right_in_2_dimensions) { expect_all_right<2>(); }
TEST(RandomWorlds, every_cell_is_right_in_3_dimensions) { expect_all_right<3>(); }
TEST(RandomWorlds, every_cell_is_right_in_4_dimensions) { expect_all_right<4>(); }

}  // namespace random_worlds_test
}  // namespace weft::halo::test
