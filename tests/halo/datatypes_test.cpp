// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MPI's datatypes: of more bytes than an int counts, and as many as a program likes.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"

#include "halo/transport/message_links.hpp"
#include "halo/two_fields.hpp"

namespace weft::halo::datatypes_test {

using test::box_of;
using test::periodic_grid;
using test::two_fields;
using test::world_of;

TEST(Datatypes, more_bytes_than_an_int_counts_are_one_message) {
  const detail::counted_type few = detail::counted_bytes(1003);
  EXPECT_EQ(few.count, 1003);
  EXPECT_EQ(few.type(), MPI_BYTE);
  const detail::counted_type many = detail::counted_bytes(std::ptrdiff_t{3} << 30);
  MPI_Count many_bytes = 0;
  PMPI_Type_size_x(many.type(), &many_bytes);
  EXPECT_EQ(many.count, 1);
  EXPECT_EQ(many_bytes, MPI_Count{3} << 30);
  const detail::datatype made = detail::bytes_type(1003, 100);
  int bytes = 0;
  PMPI_Type_size(made.get(), &bytes);
  EXPECT_EQ(bytes, 1003);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(made.get(), &lower, &extent);
  EXPECT_EQ(extent, 1003);
  const detail::datatype large = detail::bytes_type(std::ptrdiff_t{5} << 30);
  MPI_Count large_bytes = 0;
  PMPI_Type_size_x(large.get(), &large_bytes);
  EXPECT_EQ(large_bytes, MPI_Count{5} << 30);
}

TEST(Datatypes, mpi_packs_all_of_it_however_many_datatypes_a_program_has) {
  std::vector<detail::datatype> many(2000);
  for (std::size_t n = 0; n < many.size(); ++n) {
    many[n] = detail::bytes_type(static_cast<std::ptrdiff_t>(n));
  }
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 1);  // corners and rows are contiguous
  two_fields data(grid, box);
  for (const auto how : {packing::mpi_pack, packing::mpi_datatype}) {
    exchange<double, layout::right<2>> ex(grid, box, {.packing = how});
    for (int round = 0; round < 3; ++round) {
      data.fill(round);
      ex(data.first_cells.data(), data.second_cells.data());
      data.expect_right();
    }
  }
}

}  // namespace weft::halo::datatypes_test
