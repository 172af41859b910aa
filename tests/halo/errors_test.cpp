// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every mistake has a sentence that says who, what, which numbers, and what to do instead.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <stdlib.h>  // setenv

#include "weft/halo.hpp"
#include "weft/halo/detail/grid.hpp"

#include "halo/caught.hpp"

namespace weft::halo::test {
namespace errors_test {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

using c_order = layout::right<1>;
using ones = exchange<double, c_order>;

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

cart<1> ring() { return cart<1>(MPI_COMM_WORLD, {.periodic = {true}}); }

TEST(CartErrors, too_few_processes) {
  const auto found = caught_from([] { cart<2>(MPI_COMM_WORLD, {.dims = {4, 16}}); });

  EXPECT_EQ(found.code, errc::bad_grid);
  EXPECT_THAT(found.what,
              HasSubstr("dims 4x16 need 64 processes, the communicator has " +
                        std::to_string(world_size()) + "; use 0 where weft may choose"));
}

TEST(CartErrors, numbers_of_processes_that_cannot_be) {
  EXPECT_THAT(error_of([] { cart<2>(MPI_COMM_WORLD, {.dims = {-1, 1}}); }),
              HasSubstr("dims[0] is -1; use 0 where weft may choose"));
  EXPECT_THAT(error_of([] { cart<2>(MPI_COMM_WORLD, {.dims = {64, any_number}}); }),
              HasSubstr("dims 64x0 need a multiple of 64 processes, the communicator has "));
}

TEST(CartErrors, a_map_that_is_no_permutation) {
  const auto found = caught_from([] { cart<3>(MPI_COMM_WORLD, {.maps_to = {0, 2, 2}}); });

  EXPECT_EQ(found.code, errc::bad_grid);
  EXPECT_THAT(found.what, HasSubstr("maps_to[2] is 2, but each of 0 .. 2 must be there once"));
}

TEST(CartErrors, a_communicator_that_is_not_cartesian) {
  EXPECT_THAT(error_of([] { (void)cart<1>::adopt(MPI_COMM_WORLD); }),
              HasSubstr("the communicator is not Cartesian; use the constructor"));
  EXPECT_THAT(error_of([] { cart<1>(MPI_COMM_NULL, {}); }),
              HasSubstr("the communicator is MPI_COMM_NULL"));
}

TEST(CartErrors, an_adopted_communicator_of_other_dimensions) {
  MPI_Comm plane = MPI_COMM_NULL;
  const std::array<int, 2> dims{world_size(), 1};
  const std::array<int, 2> periodic{1, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims.data(), periodic.data(), 0, &plane);

  EXPECT_THAT(error_of([&] { (void)cart<3>::adopt(plane); }),
              HasSubstr("the communicator has 2 dimensions; use cart<2>::adopt"));
  EXPECT_THAT(error_of([&] { (void)cart<2>::adopt(plane, {.dims = {1, world_size() + 1}}); }),
              HasSubstr("leave dims out to take the communicator's"));
  const auto grid = cart<2>::adopt(plane);
  EXPECT_TRUE(grid.is_periodic(0));
  EXPECT_FALSE(grid.is_periodic(1));
  EXPECT_EQ((grid.neighbour<1, 0>()), (grid.rank() + 1) % world_size());
  EXPECT_EQ((grid.neighbour<0, 1>()), std::nullopt);
  const auto mapped = cart<2>::adopt(plane, {.periodic = {false, true}, .maps_to = {1, 0}});
  EXPECT_EQ((mapped.neighbour<0, -1>()), (grid.rank() + world_size() - 1) % world_size());
  MPI_Comm_free(&plane);
}

TEST(CartErrors, ranks_that_disagree_on_the_arrangement) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const int size = world_size();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool is_odd = rank == 1;
  const auto disagreement = [&](const cart_options<3>& options) {
    const auto found = caught_from([&] { cart<3>(MPI_COMM_WORLD, options); });
    EXPECT_EQ(found.code, errc::ranks_disagree);
    EXPECT_EQ(found.rank, 1);
    return found.what;
  };

  const std::string dims =
      std::to_string(size) + "x1x1 on rank 0, dims are 1x" + std::to_string(size) + "x1 on rank 1";
  EXPECT_THAT(disagreement({.dims = {is_odd ? 1 : size, is_odd ? size : 1, 1}}),
              HasSubstr("ranks 0 and 1 disagree: dims are " + dims));
  EXPECT_THAT(disagreement({.periodic = {is_odd, true, false}}),
              HasSubstr("ranks 0 and 1 disagree: periodic is 0,1,0 on rank 0, periodic is 1,1,0 on "
                        "rank 1; pass the same on all ranks"));
  EXPECT_THAT(disagreement({.maps_to = {is_odd ? 2 : 0, 1, is_odd ? 0 : 2}}),
              HasSubstr("maps_to is 0,1,2 on rank 0, maps_to is 2,1,0 on rank 1"));

  const auto one_is_wrong =
      caught_from([&] { cart<1>(MPI_COMM_WORLD, {.dims = {is_odd ? 64 : any_number}}); });
  EXPECT_EQ(one_is_wrong.code, is_odd ? errc::bad_grid : errc::other_rank_refused);
  EXPECT_THAT(one_is_wrong.what, HasSubstr("dims 64 need 64 processes"));

  const auto dimensions = caught_from([&] {
    if (is_odd) {
      cart<1>(MPI_COMM_WORLD, {});
    } else {
      cart<2>(MPI_COMM_WORLD, {});
    }
  });
  EXPECT_THAT(dimensions.what, HasSubstr("the grid has 2 dimensions on rank 0, the grid has 1 "));
}

TEST(ExchangeErrors, an_axis_that_was_changed_to_nonsense) {
  const auto grid = ring();
  axes<1> box{axis::inner(8).halo(2)};
  box[0].begin = 1;

  const auto found = caught_from([&] { ones(grid, box); });

  EXPECT_EQ(found.code, errc::bad_axis);
  EXPECT_THAT(found.what,
              HasSubstr("axis 0 (\"i\") of field 0: halo minus=2 does not fit below begin=1 (needs "
                        "begin >= 2); axis is {minus=2, plus=2, begin=1, end=9, length=12}"));
}

TEST(ExchangeErrors, an_inner_region_narrower_than_the_halo) {
  const auto grid = ring();

  const auto found = caught_from([&] { ones(grid, {axis::inner(1).halo(2)}); });

  EXPECT_EQ(found.code, errc::narrow_inner);
  EXPECT_EQ(found.rank, grid.rank());
  EXPECT_THAT(found.what,
              HasSubstr("rank " + std::to_string(grid.rank()) +
                        ": inner width 1 along axis 0 (\"i\") is smaller than the halo 2 it must "
                        "send; a cell would have to come from the neighbour's neighbour. Use fewer "
                        "processes along grid dim 0 (now " +
                        std::to_string(world_size()) + ")"));
}

TEST(ExchangeErrors, ranks_that_disagree_on_a_halo) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const auto grid = ring();
  const std::ptrdiff_t width = grid.rank() == 0 ? 2 : 1;

  const auto found = caught_from([&] { ones(grid, {axis::inner(8).halo(width)}); });

  EXPECT_EQ(found.code,
            grid.rank() <= 1 || grid.rank() == world_size() - 1 ? errc::ranks_disagree
                                                                : errc::other_rank_refused);
  EXPECT_THAT(found.what, HasSubstr("disagree: rank "));
  EXPECT_THAT(found.what, HasSubstr("; axis 0 halo minus is "));
}

TEST(ExchangeErrors, ranks_that_disagree_on_an_inner_region) {
  if (world_size() != 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const cart<2> grid(MPI_COMM_WORLD, {.dims = {2, 1}, .periodic = {false, true}});
  const axes<2> box{axis::inner(8).halo(1), axis::inner(grid.rank() == 0 ? 250 : 249).halo(1)};

  const auto found =
      caught_from([&] { exchange<double, layout::right<2>>(grid, box, exchange_options{}); });

  EXPECT_EQ(found.code, errc::ranks_disagree);
  EXPECT_THAT(found.what, HasSubstr("ranks 0 and 1 disagree: rank "));
  EXPECT_THAT(found.what,
              AnyOf(HasSubstr("rank 1 sends 1992 B of field 0 in direction (-1,0), rank 0 expects "
                              "2000 B; axis 1 inner is 250 on rank 0, 249 on rank 1"),
                    HasSubstr("rank 0 sends 2000 B of field 0 in direction (+1,0), rank 1 expects "
                              "1992 B; axis 1 inner is 249 on rank 1, 250 on rank 0")));
}

TEST(ExchangeErrors, ranks_that_disagree_on_types_numbers_and_options) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const auto grid = ring();
  const axes<1> box{axis::inner(8).halo(1)};
  std::vector<double> doubles(30);
  std::vector<float> floats(10);
  exchange_any<1> any(grid);

  const auto types = caught_from(
      [&] { grid.rank() == 0 ? any(field(doubles.data(), box)) : any(field(floats.data(), box)); });
  EXPECT_THAT(types.what, HasSubstr("the element type of field 0 differs ("));

  const auto numbers = caught_from([&] {
    grid.rank() == 0 ? any(field(doubles.data(), box))
                     : any(field(doubles.data(), box), field(doubles.data() + 10, box));
  });
  EXPECT_THAT(numbers.what, HasSubstr("disagree: number of fields is "));

  const auto options = caught_from([&] {
    ones(grid, box, {.transport = grid.rank() == 0 ? transport::automatic : transport::messages});
  });
  EXPECT_THAT(options.what, HasSubstr("disagree: transport is "));

  const auto by_mpi = caught_from(
      [&] { ones(grid, box, {.packing = grid.rank() == 0 ? packing::mpi_pack : packing::loops}); });
  EXPECT_THAT(by_mpi.what, HasSubstr("disagree: packing by MPI is "));

  for (const validation level :
       {validation::descriptors, validation::check_sums, validation::cells}) {
    const auto levels = caught_from(
        [&] { ones(grid, box, {.validate = grid.rank() == 0 ? validation::off : level}); });
    const bool is_near = grid.rank() <= 1 || grid.rank() == world_size() - 1;
    EXPECT_EQ(levels.code, is_near ? errc::ranks_disagree : errc::other_rank_refused);
    EXPECT_THAT(levels.what,
                AllOf(HasSubstr("disagree: validate is "), HasSubstr(to_string(level))));
  }

  const auto ways = caught_from([&] {
    ones ex(grid, box, {.max_fields = 2});
    grid.rank() == 0 ? ex.reverse(std::plus<>(), doubles.data()) : ex(doubles.data());
  });
  EXPECT_THAT(ways.what, HasSubstr("disagree: reverse is "));
}

TEST(CartErrors, tags_of_plans_are_never_those_of_agreement) {
  const auto grid = ring();
  int largest = 0;
  for (int n = 0; n < 40'000; ++n) {
    largest = std::max(largest, grid.shared_grid()->next_tag());
  }

  EXPECT_EQ(largest, detail::grid::num_plan_tags - 1);
}

TEST(FieldErrors, more_memory_than_there_is) {
  const cart<3> grid(MPI_COMM_WORLD);
  const axis along = axis::inner(4000);
  const double bytes = 512e9 * world_size();

  const auto found = caught_from([&] { (void)make_field<double>(grid, {along, along, along}); });

  EXPECT_THAT(found.code, AnyOf(errc::unsupported, errc::other_rank_refused));
  EXPECT_THAT(
      found.what,
      AllOf(HasSubstr("the " + std::to_string(world_size()) + " ranks of the node of rank "),
            HasSubstr(" want " + std::to_string(static_cast<long long>(bytes))),
            HasSubstr(" B together, and "),
            HasSubstr(" B are available "),
            HasSubstr("[errors_test.cpp:")));
  const axis long_one = axis::inner(std::ptrdiff_t{1} << 32);
  EXPECT_THAT(
      error_of([&] { (void)make_field<double>(grid, {long_one, long_one, axis::inner(1)}); }),
      HasSubstr("want more than 2^53 B together"));
  EXPECT_EQ(make_field<double>(grid, {axis::inner(2), axis::inner(2), axis::inner(2)}).size(), 8);
}

TEST(FieldErrors, what_one_rank_cannot_have_all_are_refused) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const auto grid = ring();
  const bool is_odd = grid.rank() == 1;
  axes<1> box{axis::inner(8)};
  box[0].end = is_odd ? 8 : 7;

  const auto axis_of_one = caught_from([&] { (void)make_field<double>(grid, box); });
  const auto memory_of_one = caught_from(
      [&] { (void)make_field<double>(grid, {axis::inner(is_odd ? std::ptrdiff_t{1} << 50 : 8)}); });

  EXPECT_EQ(axis_of_one.code, is_odd ? errc::bad_axis : errc::other_rank_refused);
  EXPECT_THAT(axis_of_one.what, HasSubstr("halo plus=0 does not fit"));
  EXPECT_THAT(memory_of_one.what, HasSubstr(" B are available "));
}

TEST(ExchangeErrors, more_memory_than_there_is) {
  const cart<2> grid(MPI_COMM_WORLD, {.dims = {any_number, 1}, .periodic = {true, true}});
  using planes = exchange<double, layout::right<2>>;
  const axis long_one = axis::inner(std::ptrdiff_t{1} << 32);
  EXPECT_THAT(error_of([&] { planes(grid, {long_one, long_one}); }),
              HasSubstr("field 0 has 4294967296x4294967296 cells of 8 B, more than the 2^53 B"));
  if (world_size() == 1) {
    return;  // copies within a rank need no memory
  }
  const axes<2> box{axis::inner(8).halo(4), axis::inner(std::ptrdiff_t{1} << 40)};
  for (const transport by : {transport::automatic, transport::messages}) {
    const auto found = caught_from([&] { planes(grid, box, {.transport = by}); });

    EXPECT_THAT(found.code, AnyOf(errc::unsupported, errc::other_rank_refused));
    EXPECT_THAT(found.what, HasSubstr(" B together, and "));
  }
}

TEST(ExchangeErrors, too_many_fields) {
  std::vector<double> cells(40);
  ones ex(ring(), {axis::inner(8).halo(1)}, {.max_fields = 3});

  const auto found = caught_from([&] { ex(&cells[0], &cells[10], &cells[20], &cells[30]); });

  EXPECT_EQ(found.code, errc::too_many_fields);
  EXPECT_THAT(found.what, HasSubstr("4 fields passed, plan was made for .max_fields=3"));
  EXPECT_EQ(found.rank, std::nullopt);
}

TEST(ExchangeErrors, null_pointers_and_overlapping_fields) {
  std::vector<double> cells(40);
  ones ex(ring(), {axis::inner(8).halo(1)});
  double* const null = nullptr;

  EXPECT_THAT(error_of([&] { ex(std::span<double* const>()); }), HasSubstr("no field passed"));
  EXPECT_THAT(error_of([&] { ex(cells.data(), null); }), HasSubstr("field 1 is a null pointer"));
  EXPECT_THAT(error_of([&] { ex(cells.data(), cells.data()); }),
              HasSubstr("fields 0 and 1 overlap in memory"));
  EXPECT_THAT(error_of([&] { ex(cells.data(), &cells[20], &cells[29]); }),
              HasSubstr("fields 1 and 2 overlap in memory"));
  EXPECT_EQ(error_of([&] { ex(cells.data(), &cells[10]); }), "nothing was thrown");
}

TEST(ExchangeErrors, a_padded_field_in_an_exchange_made_without_its_padding) {
  const cart<2> grid(MPI_COMM_WORLD);
  const axes<2> box{axis::inner(2), axis::inner(62).halo(1)};
  const auto made = make_field<double>(grid, box);
  exchange<double, layout::right<2>> ex(grid, box);

  EXPECT_THAT(error_of([&] { ex(made); }), HasSubstr("make the exchange with field.box()"));
}

TEST(ExchangeErrors, calls_in_the_wrong_order) {
  std::vector<double> cells(40);
  ones ex(ring(), {axis::inner(8).halo(1)});

  EXPECT_THAT(error_of([&] { ex.start(); }), HasSubstr("call pack(fields...) first"));
  ex.pack(cells.data());
  EXPECT_THAT(error_of([&] { ex.wait(); }), HasSubstr("wait() without start() before it"));
  EXPECT_THAT(error_of([&] { ex.pack(cells.data()); }),
              HasSubstr("an exchange of these fields is under way"));
  ex.start();
  EXPECT_THAT(error_of([&] { ex.unpack(&cells[20]); }),
              HasSubstr("unpack() was given other fields than pack()"));
  ex.wait();
  ex.unpack(cells.data());
  EXPECT_THAT(error_of([&] { ex.unpack(cells.data()); }),
              HasSubstr("unpack() without start() before it"));
}

TEST(ExchangeErrors, options_that_contradict_each_other) {
  const cart<2> grid(MPI_COMM_WORLD);
  const axes<2> box{axis::inner(8).halo(1), axis::inner(8).halo(1)};
  const auto staged = [&](directions which) {
    return error_of([&] {
      exchange<double, layout::right<2>>(
          grid, box, {.schedule = schedule::staged, .directions = which});
    });
  };

  EXPECT_THAT(staged(directions::faces),
              HasSubstr("schedule staged fills corners as well; use directions::all, or schedule "
                        "bulk for faces alone"));
  EXPECT_EQ(staged(directions::faces_edges), "nothing was thrown");  // that is all
}

TEST(ExchangeErrors, a_dimension_without_corners_may_be_staged) {
  const auto grid = ring();
  std::vector<double> cells(10, grid.rank());
  ones ex(grid,
          {axis::inner(8).halo(1)},
          {.schedule = schedule::staged, .directions = directions::faces});

  ex(cells.data());

  EXPECT_EQ(cells.front(), *grid.neighbour<-1>());
  EXPECT_EQ(cells.back(), *grid.neighbour<1>());
}

TEST(ExchangeErrors, options_that_differ_have_names) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const auto grid = ring();
  const bool is_odd = grid.rank() == 1;
  const auto found = caught_from([&] {
    ones(grid,
         {axis::inner(8).halo(1)},
         {.schedule = is_odd ? schedule::bulk : schedule::staged, .max_fields = 1});
  });

  EXPECT_THAT(found.what, HasSubstr("disagree: schedule is "));
  EXPECT_THAT(found.what, HasSubstr("staged on rank "));
  EXPECT_THAT(found.what, HasSubstr("bulk on rank 1"));
}

TEST(ExchangeErrors, the_line_is_the_programs) {
  const auto grid = ring();
  const axes<1> box{axis::inner(8).halo(1)};
  std::vector<double> cells(40);
  double* const null = nullptr;
  ones ex(grid, box, {.max_fields = 3});
  exchange_any<1> any(grid);
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {world_size()}, .periodic = {true}});
  const std::vector<axes<1>> boxes(1, box);
  subdomain_exchange<double, c_order> parts(among, boxes);
  const std::array<double*, 1> of_null{null};
  const std::array<double*, 2> too_many{cells.data(), &cells[20]};
  blocks<1> moved(grid);
  channels<1> buffers(grid);
  all_to_all everywhere(MPI_COMM_WORLD);
  const auto longer = make_field<double>(grid, {axis::inner(9).halo(1)});
  const std::vector<std::function<void()>> calls{
      [&] { ex(null); },
      [&] { ex(longer); },
      [&] { ex(std::span<double* const>()); },
      [&] { ex(cells.data(), cells.data()); },
      [&] { ex(&cells[0], &cells[10], &cells[20], &cells[30]); },
      [&] { ex.start(); },
      [&] { ex.unpack(cells.data()); },
      [&] { (void)ex.bind(null)(); },
      [&] { any(field(null, box)); },
      [&] { any.start(); },
      [&] { parts(of_null); },
      [&] { parts.start(too_many); },
      [&] { parts.wait(); },
      [&] { moved.wait(); },
      [&] { everywhere.wait(); },
      [&] { buffers.wait(); },
      [&] { (void)make_field<double>(grid, {axis::inner(std::ptrdiff_t{1} << 50)}); },
  };
  for (std::size_t n = 0; n < calls.size(); ++n) {
    EXPECT_THAT(error_of(calls[n]), HasSubstr(" [errors_test.cpp:")) << "call " << n;
  }
}

TEST(ExchangeErrors, a_level_of_validation_that_there_is_not) {
  ::setenv("WEFT_HALO_VALIDATE", "4", 1);
  const auto found = caught_from([] { ones(ring(), {axis::inner(8).halo(1)}); });
  ::unsetenv("WEFT_HALO_VALIDATE");

  EXPECT_THAT(found.what, HasSubstr("WEFT_HALO_VALIDATE is \"4\"; it takes 0, 1, 2 or 3"));

  const auto grid = ring();
  const bool is_last = grid.rank() == world_size() - 1;
  ::setenv("WEFT_HALO_VALIDATE", is_last ? "9" : "1", 1);
  const auto of_one = caught_from([&] { ones(grid, {axis::inner(8).halo(1)}); });
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {world_size()}});
  const std::vector<axes<1>> boxes(1, axes<1>{axis::inner(8).halo(1)});
  const auto of_parts = caught_from([&] { subdomain_exchange<double, c_order>(among, boxes); });
  ::unsetenv("WEFT_HALO_VALIDATE");

  for (const caught& each : {of_one, of_parts}) {
    EXPECT_EQ(each.code, is_last ? errc::unsupported : errc::other_rank_refused);
    EXPECT_THAT(each.what, HasSubstr("WEFT_HALO_VALIDATE is \"9\"; it takes 0, 1, 2 or 3"));
  }
}

TEST(ExchangeErrors, plans_for_no_field) {
  const auto grid = ring();
  const bool is_last = grid.rank() == world_size() - 1;
  const auto found = caught_from([&] {
    ones(grid,
         {axis::inner(8).halo(1)},
         {.max_fields = is_last ? std::optional<std::size_t>(0) : std::nullopt});
  });

  EXPECT_EQ(found.code, is_last ? errc::unsupported : errc::other_rank_refused);
  EXPECT_THAT(found.what, HasSubstr("max_fields is 0; pass at least 1, or leave it out"));
}

TEST(ExchangeErrors, a_cell_of_the_border_that_is_written_under_way) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  std::vector<double> cells(10);
  ones ex(ring(), {axis::inner(8).halo(1)}, {.validate = validation::check_sums});

  const auto found = caught_from([&] {
    auto under_way = ex.start(cells.data());
    cells[1] = 7;
    under_way.wait();
  });

  EXPECT_EQ(found.code, errc::validation_failed);
  EXPECT_THAT(found.what,
              HasSubstr("was changed between start and wait; write only cells further inside than "
                        "the halo is wide"));
}

TEST(ExchangeErrors, the_rank_that_is_wrong_is_named_to_all) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const auto grid = ring();
  const std::ptrdiff_t cells = grid.rank() == 1 ? 1 : 8;

  const auto found = caught_from([&] { ones(grid, {axis::inner(cells).halo(2)}); });

  EXPECT_EQ(found.rank, 1);
  EXPECT_EQ(found.code, grid.rank() == 1 ? errc::narrow_inner : errc::other_rank_refused);
  EXPECT_THAT(found.what, HasSubstr("rank 1: inner width 1"));
}

}  // namespace errors_test
}  // namespace weft::halo::test
