// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes, layouts and fields: numbers that fit together, and sentences for those that do not.
#include <array>
#include <cstddef>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/cart.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/layout.hpp"
#include "weft/halo/shared_field.hpp"

#include "halo/caught.hpp"

namespace weft::halo::test {
namespace descriptors_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr axis figure_3(2, 3, 3, 8, 13);
static_assert(figure_3.size() == 6);
static_assert(axis::inner(6).halo(2, 3).pad(1, 1) == figure_3);

TEST(Axis, the_papers_figure_3) {
  EXPECT_EQ(to_string(figure_3), "{minus=2, plus=3, begin=3, end=8, length=13}");
  EXPECT_EQ(axis::inner(250).halo(3), axis(3, 3, 3, 252, 256));
}

TEST(Axis, halo_and_padding_commute) {
  EXPECT_EQ(axis::inner(5).pad(1, 4).halo(2, 3), axis::inner(5).halo(2, 3).pad(1, 4));
  EXPECT_EQ(axis::inner(5).halo(7).halo(2, 3), axis::inner(5).halo(2, 3));
}

TEST(Axis, a_halo_below_begin_is_refused) {
  const std::string what = error_of([] { axis(3, 3, 2, 251, 256); });

  EXPECT_THAT(what,
              HasSubstr("halo minus=3 does not fit below begin=2 (needs begin >= 3); axis is "
                        "{minus=3, plus=3, begin=2, end=251, length=256} [descriptors_test.cpp:"));
}

TEST(Axis, a_halo_beyond_length_is_refused) {
  EXPECT_THAT(
      error_of([] { axis(0, 3, 0, 9, 12); }),
      HasSubstr("halo plus=3 does not fit between end=9 and length=12 (needs length >= 13)"));
}

TEST(Axis, an_empty_inner_region_is_refused) {
  EXPECT_THAT(error_of([] { axis(0, 0, 5, 4, 12); }),
              HasSubstr("there is no inner region: end=4 lies below begin=5"));
  EXPECT_THAT(error_of([] { (void)axis::inner(0); }), HasSubstr("there is no inner region"));
}

TEST(Axis, a_negative_halo_is_refused) {
  EXPECT_THAT(error_of([] { (void)axis::inner(5).halo(-1); }),
              HasSubstr("a halo cannot be narrower than 0"));
}

constexpr axes<3> box{axis::inner(2), axis::inner(3), axis::inner(5)};

TEST(Layout, conventions_are_named) {
  EXPECT_THAT(layout::right<3>::strides(box), ElementsAre(15, 5, 1));
  EXPECT_THAT(layout::left<3>::strides(box), ElementsAre(1, 2, 6));
  EXPECT_EQ((layout::increasing<2, 1, 0>::strides(box)), layout::right<3>::strides(box));
  EXPECT_EQ((layout::increasing<0, 1, 2>::strides(box)), layout::left<3>::strides(box));
  EXPECT_EQ((layout::decreasing<0, 1, 2>::strides(box)), layout::right<3>::strides(box));
}

TEST(Layout, cycles_are_not_their_own_inverse) {
  // "The first dimension has the greatest stride, the second the smallest, the third is between."
  EXPECT_THAT((layout::increasing<2, 0, 1>::strides(box)), ElementsAre(15, 1, 3));
  EXPECT_THAT((layout::increasing<1, 2, 0>::strides(box)), ElementsAre(5, 10, 1));
  EXPECT_THAT((layout::decreasing<1, 2, 0>::strides(box)), ElementsAre(3, 1, 6));
}

TEST(Layout, strided_takes_what_it_is_given) {
  EXPECT_THAT((layout::strided<3>{{100, 10, 2}}.strides(box)), ElementsAre(100, 10, 2));
}

TEST(Field, indices_follow_strides) {
  std::array<int, 30> cells{};
  const auto view = field(cells.data(), box, layout::left<3>{});

  view(1, 2, 3) = 7;

  EXPECT_EQ(cells[1 + 2 * 2 + 3 * 6], 7);
}

/// What std::mdspan looks like from outside.
struct like_mdspan {
  double* cells;

  static constexpr std::size_t rank() { return 2; }
  [[nodiscard]] double* data_handle() const { return cells; }
  [[nodiscard]] std::size_t extent(std::size_t d) const { return d == 0 ? 8 : 10; }
  [[nodiscard]] std::size_t stride(std::size_t d) const { return d == 0 ? 12 : 1; }
};

/// What Kokkos::View looks like from outside.
struct like_kokkos_view {
  static constexpr unsigned rank = 1;
  double* cells;

  [[nodiscard]] double* data() const { return cells; }
  [[nodiscard]] std::size_t extent(unsigned long) const { return 8; }
  [[nodiscard]] std::size_t stride(unsigned long) const { return 2; }
};

TEST(Field, views_of_others_become_fields) {
  std::array<double, 96> cells{};

  const auto plane = field(like_mdspan{cells.data()}, 2);
  EXPECT_EQ(plane.box[0], axis::inner(4).halo(2));
  EXPECT_EQ(plane.box[1], axis::inner(6).halo(2));
  EXPECT_THAT(plane.strides, ElementsAre(12, 1));

  const auto line = field(like_kokkos_view{cells.data()}, {{{1, 3}}});
  EXPECT_EQ(line.box[0], axis::inner(4).halo(1, 3));
  EXPECT_THAT(line.strides, ElementsAre(2));
  EXPECT_THAT(error_of([&] { (void)field(like_mdspan{cells.data()}, 4); }),
              HasSubstr("there is no inner region"));
}

TEST(Grid, mpi_must_be_running) {
  EXPECT_THAT(error_of([] { cart<1>{MPI_COMM_WORLD}; }),
              HasSubstr("MPI is not running; make grids after MPI_Init"));
}

TEST(Field, rows_of_a_power_of_two_are_padded) {
  constexpr axis cells = axis::inner(250).halo(3);

  EXPECT_EQ((without_aliasing<double, layout::right<2>>({cells, cells})[1].length), 264);
  EXPECT_EQ((without_aliasing<double, layout::left<2>>({cells, cells})[0].length), 264);
  EXPECT_EQ((without_aliasing<double, layout::right<2>>({cells, axis::inner(250)})[1].length), 250);
}

}  // namespace descriptors_test
}  // namespace weft::halo::test
