// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each inner cell belongs to the interior or to one block of the shell.
#include "weft/halo/shell.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/blocks.hpp"
#include "weft/halo/field.hpp"

namespace weft::halo::test {
namespace shell_test {

/// How often each cell of a field was in a block.
struct counted {
  explicit counted(const axes<3>& of)
      : box(of),
        times(static_cast<std::size_t>(of[0].length * of[1].length * of[2].length)),
        view(field(times.data(), box)) {}

  void operator()(const block<3>& what) {
    ++num_blocks;
    for (std::ptrdiff_t i = 0; i < what.cells[0]; ++i) {
      for (std::ptrdiff_t j = 0; j < what.cells[1]; ++j) {
        for (std::ptrdiff_t k = 0; k < what.cells[2]; ++k) {
          ++view(what.first[0] + i, what.first[1] + j, what.first[2] + k);
        }
      }
    }
  }
  [[nodiscard]] int sum() const { return std::accumulate(times.begin(), times.end(), 0); }

  axes<3> box;
  std::vector<int> times;
  field_view<int, 3> view;
  int num_blocks = 0;
};

const std::vector<axes<3>> boxes{
    {axis::inner(6).halo(1), axis::inner(5).halo(1), axis::inner(4).halo(1)},
    {axis::inner(7).halo(2, 0), axis::inner(6).halo(0, 1), axis::inner(5)},
    {axis::inner(2).halo(1), axis::inner(9).halo(2).pad(1, 3), axis::inner(9).halo(1)},
    {axis::inner(3).halo(2), axis::inner(3).halo(2), axis::inner(1).halo(1)},
    {axis::inner(4), axis::inner(4), axis::inner(4)}};

TEST(Shell, interior_and_shell_are_all_inner_cells_once) {
  for (const axes<3>& box : boxes) {
    counted cells(box);

    for_interior(box, cells);
    for_shell(box, cells);

    EXPECT_EQ(*std::ranges::max_element(cells.times), 1);
    EXPECT_EQ(cells.sum(), box[0].size() * box[1].size() * box[2].size());
    counted inner(box);
    inner(inner_block(box));
    EXPECT_EQ(cells.times, inner.times);
    EXPECT_LE(cells.num_blocks, 7);
  }
}

TEST(Shell, the_interior_neither_reads_halos_nor_is_sent) {
  const axes<3> box = boxes[1];
  counted cells(box);

  for_interior(box, cells);

  EXPECT_EQ(cells.sum(), 3 * 4 * 5);
  EXPECT_EQ(cells.view(2 + 2, 1, 0), 1);
  EXPECT_EQ(cells.view(2 + 1, 1, 0), 0);
  EXPECT_EQ(cells.view(2 + 5, 1, 0), 0);
}

TEST(Shell, without_halos_there_is_none) {
  counted cells(boxes.back());

  for_shell(boxes.back(), cells);

  EXPECT_EQ(cells.num_blocks, 0);
}

}  // namespace shell_test
}  // namespace weft::halo::test
