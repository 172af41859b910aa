// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What travels between any ranks: blocks, buffers, arrays of the world.
#include "weft/halo/blocks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/statvfs.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/global.hpp"
#include "weft/halo/layout.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/shared_field.hpp"

#include "halo/caught.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/message_links.hpp"

namespace {
bool is_room_scarce = false;
}

// The system's library comes after the program, too.
extern "C" int statvfs(const char* path, struct statvfs* room) noexcept {
  using function = int (*)(const char*, struct statvfs*);
  static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "statvfs"));
  const int code = real(path, room);
  if (is_room_scarce) {
    room->f_bavail = (1U << 20U) / room->f_frsize;
  }
  return code;
}

namespace weft::halo::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// A plane of ints, by index.
struct plane {
  plane(std::ptrdiff_t rows, std::ptrdiff_t columns, bool is_fortran = false)
      : cells(static_cast<std::size_t>(rows * columns), -1) {
    const axes<2> box{axis::inner(rows), axis::inner(columns)};
    view = is_fortran ? field(cells.data(), box, layout::left<2>())
                      : field(cells.data(), box, layout::right<2>());
  }
  std::vector<int> cells;
  field_view<int, 2> view;
};

TEST(Blocks, blocks_travel_between_any_ranks) {
  const cart<2> grid(MPI_COMM_WORLD);
  const int own = grid.rank();
  plane from(6, 5, own % 2 == 1);  // layouts differ between ranks
  plane into(std::ptrdiff_t{2} * world_size(), 9, own % 2 == 0);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 5; ++j) {
      from.view(i, j) = 100 * own + 10 * i + j;
    }
  }
  blocks<2> moved(grid);
  for (int rank = 0; rank < world_size(); ++rank) {
    const std::ptrdiff_t row = std::ptrdiff_t{2} * rank;
    const std::array coords{rank / grid.num_processes(1), rank % grid.num_processes(1)};
    moved.send(from.view, {.first = {1, 1}, .cells = {2, 3}}, rank);
    moved.send(from.view, {.first = {4, 0}, .cells = {2, 5}}, grid.rank_of(coords));
    moved.receive(into.view, {.first = {row, 0}, .cells = {2, 3}}, rank);
    moved.receive(into.view, {.first = {row, 4}, .cells = {2, 5}}, rank);
  }

  for (int round = 0; round < 3; ++round) {
    std::ranges::fill(into.cells, -1);
    moved.exchange();
    for (int i = 0; i < 2 * world_size(); ++i) {
      for (int j = 0; j < 9; ++j) {
        const int rank = i / 2;
        const int expected = j < 3   ? 100 * rank + 10 * (1 + i % 2) + 1 + j
                             : j < 4 ? -1
                                     : 100 * rank + 10 * (4 + i % 2) + j - 4;
        ASSERT_EQ(into.view(i, j), expected) << i << " " << j;
      }
    }
  }
}

TEST(Blocks, all_packings_move_the_same) {
  const cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const int next = *grid.neighbour<1>();
  const int last = *grid.neighbour<-1>();
  for (const auto how :
       {packing::loops, packing::mpi_pack, packing::mpi_datatype, packing::direct}) {
    std::vector<double> from(8, grid.rank() + 1);
    std::vector<double> into(8);
    const axes<1> box{axis::inner(8)};
    blocks<1> moved(grid, {.packing = how});
    moved.send(field(from.data(), box, layout::strided<1>{{2}}), {{0}, {3}}, next);
    moved.receive(field(into.data(), box), {{2}, {3}}, last);

    moved.start();
    while (!moved.test()) {
    }

    const double sent = last + 1;
    EXPECT_THAT(into, testing::ElementsAre(0, 0, sent, sent, sent, 0, 0, 0)) << to_string(how);
  }
}

/// Rank 0 sends to all others and hears of none of them.
void expect_order(const cart<1>& grid,
                  const field_view<int, 1>& cells,
                  const exchange_options& how) {
  constexpr std::ptrdiff_t size = 64;
  blocks<1> moved(grid, how);
  for (int rank = 1; rank < grid.size() && grid.rank() == 0; ++rank) {
    moved.send(cells, {{rank}, {size}}, rank);
  }
  if (grid.rank() > 0) {
    moved.receive(cells, {{0}, {size}}, 0);
  }
  int num_wrong = 0;
  for (int round = 0; round < 60; ++round) {
    for (std::ptrdiff_t i = 0; i < cells.box[0].length; ++i) {
      cells(i) = grid.rank() == 0 ? 1000 * round + static_cast<int>(i) : -1;
    }
    moved.exchange();
    for (std::ptrdiff_t i = 0; i < size && grid.rank() > 0; ++i) {
      num_wrong += cells(i) != 1000 * round + static_cast<int>(i) + grid.rank() ? 1 : 0;
    }
  }
  EXPECT_EQ(num_wrong, 0);
}

TEST(Blocks, a_sender_does_not_overtake_its_receivers) {
  const cart<1> grid(MPI_COMM_WORLD);
  const axes<1> box{axis::inner(64 + grid.size())};
  std::vector<int> own(static_cast<std::size_t>(box[0].length));
  const auto shared = make_field<int>(grid, box);
  expect_order(grid, field(own.data(), box), {});
  expect_order(grid, shared.view(), {});
  expect_order(grid, shared.view(), {.transport = transport::messages});
}

// Rank 0 registers anew before the others end what they had, and waits for none of them.
TEST(Blocks, registering_again_needs_nobody_else) {
  const cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  std::vector<int> from(3, grid.rank());
  std::vector<int> into(3);
  const axes<1> box{axis::inner(3)};
  blocks<1> moved(grid);
  for (std::ptrdiff_t size = 1; size <= 3; ++size) {
    if (grid.rank() > 0) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    moved.clear();
    moved.send(field(from.data(), box), {{0}, {size}}, *grid.neighbour<1>());
    moved.receive(field(into.data(), box), {{0}, {size}}, *grid.neighbour<-1>());
    if (grid.rank() == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    moved.exchange();
    EXPECT_EQ(into[static_cast<std::size_t>(size) - 1], *grid.neighbour<-1>());
  }
}

TEST(Blocks, clear_ends_what_is_under_way) {
  const cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const axes<1> box{axis::inner(3)};
  blocks<1> moved(grid);
  std::vector<int> from(3, grid.rank());
  std::vector<int> into(3, -1);
  moved.send(field(from.data(), box), inner_block(box), *grid.neighbour<1>());
  moved.receive(field(into.data(), box), inner_block(box), *grid.neighbour<-1>());

  moved.start();
  moved.clear();

  EXPECT_THAT(into, Each(*grid.neighbour<-1>()));
}

/// What `moved` says of its paths after it has moved a field once around.
std::string path_of(const cart<1>& grid,
                    const field_view<int, 1>& from,
                    const field_view<int, 1>& into) {
  blocks<1> moved(grid);
  moved.send(from, inner_block(from.box), *grid.neighbour<1>());
  moved.receive(into, inner_block(into.box), *grid.neighbour<-1>());
  std::fill_n(from.data, from.box[0].length, grid.rank());
  moved.exchange();
  EXPECT_EQ(std::count(into.data, into.data + into.box[0].length, *grid.neighbour<-1>()),
            into.box[0].length);
  return moved.report();
}

TEST(Blocks, what_memory_has_no_room_for_goes_by_messages) {
  const cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const axes<1> box{axis::inner(1 << 18)};  // 1 MiB
  std::vector<int> own(static_cast<std::size_t>(box[0].length));
  std::vector<int> into(own.size());
  const auto shared = make_field<int>(grid, box);
  const std::string with_room = path_of(grid, field(own.data(), box), field(into.data(), box));

  is_room_scarce = true;
  const std::string staged = path_of(grid, field(own.data(), box), field(into.data(), box));
  const std::string from_field = path_of(grid, shared.view(), field(into.data(), box));
  is_room_scarce = false;

  if (world_size() > 1) {
    EXPECT_THAT(with_room, HasSubstr("staged in shared memory"));
    EXPECT_THAT(staged, HasSubstr("one message"));
    EXPECT_THAT(from_field, HasSubstr("one copy from shared fields")) << "needs no room";
  }
}

TEST(Blocks, mistakes_have_sentences) {
  const cart<1> grid(MPI_COMM_WORLD);
  std::vector<int> cells(8);
  const auto all = field(cells.data(), axes<1>{axis::inner(8)});
  const auto error_with = [&](auto&& add) {
    blocks<1> moved(grid);
    add(moved);
    return error_of([&] { moved.exchange(); });
  };

  EXPECT_THAT(error_with([&](auto& moved) { moved.send(all, {{6}, {3}}, 0); }),
              HasSubstr("a block of 3 cells from index 6 on does not fit into axis 0 of length 8"));
  EXPECT_THAT(error_with([&](auto& moved) { moved.send(all, {{0}, {1}}, world_size()); }),
              HasSubstr("rank " + std::to_string(world_size()) + " is none of 0 .. "));
  EXPECT_THAT(error_with([&](auto& moved) { moved.send(all, {{0}, {1}}, 0); }),
              AllOf(HasSubstr("ranks 0 and 0 disagree: rank 0 sends 1 blocks to rank 0, which"),
                    HasSubstr("expects 0")));
  EXPECT_THAT(error_with([&](auto& moved) {
                moved.send(all, {{0}, {2}}, grid.rank());
                moved.receive(all, {{4}, {3}}, grid.rank());
              }),
              HasSubstr("has 2x1x1x1 cells, 3x1x1x1 are expected"));
  EXPECT_THAT(error_with([&](auto& moved) {
                std::vector<double> doubles(8);
                moved.send(all, {{0}, {2}}, grid.rank());
                moved.receive(
                    field(doubles.data(), axes<1>{axis::inner(8)}), {{0}, {2}}, grid.rank());
              }),
              HasSubstr("has elements of another type (4 B) than are expected (8 B)"));
  EXPECT_THAT(error_of([&] { static_cast<void>(grid.rank_of({world_size()})); }),
              HasSubstr("coordinate 0 is " + std::to_string(world_size()) + "; the grid has 0 .."));
  EXPECT_THAT(error_of([&] { blocks<1>(grid).wait(); }), HasSubstr("wait() without start()"));
}

TEST(AllToAll, buffers_travel_from_all_to_all) {
  all_to_all net(MPI_COMM_WORLD);
  const int num_ranks = world_size();
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  // Rank a sends b + 1 numbers a to rank b, then nothing, then one more.
  std::vector<std::vector<int>> out;
  std::vector<std::vector<int>> in;
  std::vector<int> last(static_cast<std::size_t>(num_ranks));
  for (int rank = 0; rank < num_ranks; ++rank) {
    out.emplace_back(static_cast<std::size_t>(rank + 1), own);
    in.emplace_back(static_cast<std::size_t>(own + 1), -1);
  }
  for (std::size_t rank = 0; rank < out.size(); ++rank) {
    const int to = static_cast<int>(rank);
    net.send_to(to, std::as_bytes(std::span(out[rank])));
    net.receive_from(to, std::as_writable_bytes(std::span(in[rank])));
    net.send_to(to, {});
    net.receive_from(to, {});
    net.send_to(to, std::as_bytes(std::span(&own, 1)));
    net.receive_from(to, std::as_writable_bytes(std::span(&last[rank], 1)));
  }

  net.exchange();

  for (std::size_t rank = 0; rank < in.size(); ++rank) {
    EXPECT_THAT(in[rank], Each(static_cast<int>(rank)));
    EXPECT_EQ(last[rank], static_cast<int>(rank));
  }
}

TEST(AllToAll, types_count_more_than_an_int_does) {
  constexpr std::ptrdiff_t num_bytes = (std::ptrdiff_t{1} << 32) + 8;
  for (const std::ptrdiff_t stride : {1, 3}) {
    detail::shape line{.num_dims = 1, .element_bytes = 1};
    line.axes[0] = axis::inner(num_bytes);
    line.strides[0] = stride;
    detail::piece all;
    all.cells = {num_bytes, 1, 1, 1};
    const detail::datatype type = detail::cells_type(line, all);
    MPI_Count size = 0;
    MPI_Count first = -1;
    MPI_Count extent = 0;
    MPI_Type_size_x(type.get(), &size);
    MPI_Type_get_true_extent_x(type.get(), &first, &extent);
    EXPECT_EQ(size, num_bytes);
    EXPECT_EQ(first, 0);
    EXPECT_EQ(extent, (num_bytes - 1) * stride + 1);
  }
  constexpr std::size_t element_bytes = (std::size_t{3} << 30) + 8;
  detail::shape two{.num_dims = 1, .element_bytes = element_bytes};
  two.axes[0] = axis::inner(2);
  two.strides[0] = element_bytes;
  detail::piece both;
  both.cells = {2, 1, 1, 1};
  const detail::datatype type = detail::cells_type(two, both);
  MPI_Count size = 0;
  MPI_Type_size_x(type.get(), &size);
  EXPECT_EQ(size, MPI_Count{2 * element_bytes});
}

/// A world of which each rank has one more cell than the rank before, along a mapped dimension.
struct divided_world {
  divided_world()
      : grid(MPI_COMM_WORLD, {.dims = {any_number, 1}, .maps_to = {1, 0}}),
        box{axis::inner(3).halo(1), axis::inner(2 + grid.position(1)).halo(1, 2).pad(1, 0)},
        cells(static_cast<std::size_t>(box[0].length * box[1].length), -1),
        own(field(cells.data(), box)) {}
  cart<2> grid;
  axes<2> box;
  std::vector<int> cells;
  field_view<int, 2> own;
};

TEST(Global, scatter_and_gather_are_inverse) {
  divided_world world;
  const auto part = part_of_world(world.grid, world.box);
  const std::ptrdiff_t width = part.world[1];
  EXPECT_EQ(part.world[0], 3);
  EXPECT_EQ(width, world_size() * (world_size() + 3) / 2);

  const int root = world_size() - 1;
  plane before(3, width, true);
  plane after(3, width);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < width; ++j) {
      before.view(i, j) = 1000 * i + j;
    }
  }
  const bool is_root = world.grid.rank() == root;
  scatter(world.grid, root, is_root ? before.view : field_view<int, 2>(), world.own);
  for (std::ptrdiff_t i = 0; i < world.box[0].length; ++i) {
    for (std::ptrdiff_t j = 0; j < world.box[1].length; ++j) {
      const bool is_inner = i >= world.box[0].begin && i <= world.box[0].end &&
                            j >= world.box[1].begin && j <= world.box[1].end;
      const std::ptrdiff_t expected =
          1000 * (i - world.box[0].begin) + part.own.first[1] + j - world.box[1].begin;
      ASSERT_EQ(world.own(i, j), is_inner ? expected : -1);
    }
  }

  gather(world.grid, root, world.own, is_root ? after.view : field_view<int, 2>());
  for (int j = 0; is_root && j < width; ++j) {
    EXPECT_EQ(after.view(2, j), before.view(2, j));
  }
}

TEST(Global, broadcast_fills_inner_cells) {
  const cart<2> grid(MPI_COMM_WORLD);
  const bool is_fortran = grid.rank() == 0;
  const axes<2> box{axis::inner(2).halo(1), axis::inner(3).halo(grid.rank())};
  std::vector<int> cells(static_cast<std::size_t>(box[0].length * box[1].length), -1);
  const auto own = is_fortran ? field(cells.data(), box, layout::left<2>())
                              : field(cells.data(), box, layout::right<2>());
  if (grid.rank() == 0) {
    for (int n = 0; n < 6; ++n) {
      own(box[0].begin + n / 3, box[1].begin + n % 3) = n;
    }
  }

  broadcast(grid, 0, own);

  for (int n = 0; n < 6; ++n) {
    EXPECT_EQ(own(box[0].begin + n / 3, box[1].begin + n % 3), n);
  }
  EXPECT_EQ(std::ranges::count(cells, -1), static_cast<std::ptrdiff_t>(cells.size()) - 6);
}

TEST(Global, broadcast_of_kilobytes_from_cells_side_by_side_to_others) {
  const cart<2> grid(MPI_COMM_WORLD);
  for (int root = 0; root < world_size(); ++root) {
    const int halo = grid.rank() == root ? 0 : 2;  // other ranks' rows are not contiguous
    const axes<2> box{axis::inner(300).halo(halo), axis::inner(500).halo(halo)};
    std::vector<int> cells(static_cast<std::size_t>(box[0].length * box[1].length), -1);
    const auto own = field(cells.data(), box, layout::right<2>());
    if (grid.rank() == root) {
      std::iota(cells.begin(), cells.end(), root);
    }

    broadcast(grid, root, own);

    int expected = root;
    int num_wrong = 0;
    for (std::ptrdiff_t i = box[0].begin; i <= box[0].end; ++i) {
      for (std::ptrdiff_t j = box[1].begin; j <= box[1].end; ++j) {
        num_wrong += own(i, j) == expected++ ? 0 : 1;
      }
    }
    EXPECT_EQ(num_wrong, 0);
    EXPECT_EQ(std::ranges::count(cells, -1), static_cast<std::ptrdiff_t>(cells.size()) - 150'000);
  }
}

TEST(Global, mistakes_have_sentences) {
  divided_world world;
  plane small(3, 1);
  EXPECT_THAT(
      error_of([&] { scatter(world.grid, 0, small.view, world.own); }),
      AllOf(HasSubstr("the array of rank 0 has 3x1 inner cells, the ranks together have 3x")));
  EXPECT_THAT(error_of([&] { gather(world.grid, -1, world.own, small.view); }),
              HasSubstr("root is rank -1, which is none of 0 .."));
  EXPECT_THAT(error_of([&] { broadcast(world.grid, 0, field_view<int, 2>()); }),
              HasSubstr("the field is a null pointer"));
  const field_view<int, 2> nowhere{.box = world.box, .strides = world.own.strides};
  const auto without = world.grid.rank() == world_size() - 1 ? nowhere : world.own;
  plane large(3, part_of_world(world.grid, world.box).world[1]);
  EXPECT_THAT(error_of([&] { gather(world.grid, 0, without, large.view); }),
              HasSubstr(" is a null pointer"));
  EXPECT_THAT(error_of([&] { scatter(world.grid, 0, large.view, without); }),
              HasSubstr(" is a null pointer"));
  blocks<2> nothing(world.grid);
  nothing.send(nowhere, {{0, 0}, {3, 0}}, world.grid.rank());
  nothing.receive(nowhere, {{0, 0}, {3, 0}}, world.grid.rank());
  nothing.exchange();
  if (world_size() > 1) {
    const std::string differing =
        "ranks name different roots, from 0 to " + std::to_string(world_size() - 1);
    const int own = world.grid.rank();
    EXPECT_THAT(error_of([&] { broadcast(world.grid, own, world.own); }), HasSubstr(differing));
    EXPECT_THAT(error_of([&] { gather(world.grid, own, world.own, small.view); }),
                HasSubstr(differing));
    EXPECT_THAT(error_of([&] { broadcast(world.grid, 0, world.own); }),
                HasSubstr("rank 0 broadcasts 3x2 cells of 4 B, rank "));
    const cart<2> row(MPI_COMM_WORLD, {.dims = {1, any_number}});
    const axes<2> crooked{axis::inner(2 + row.rank()), axis::inner(4)};
    EXPECT_THAT(error_of([&] { static_cast<void>(part_of_world(row, crooked)); }),
                HasSubstr("ranks 0 and 1 disagree: axis 0 inner is 2 on rank 0, 3 on rank 1"));
  }
}

}  // namespace
}  // namespace weft::halo::test
