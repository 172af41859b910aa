// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts of pieces: along each axis separately, then the products of these cuts.
#include "lab/inncabs/pyramids/pieces.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::lab::inncabs::pyramids {
namespace {

enum class half : std::uint8_t { earlier, later };

struct cut {
  std::array<section, 3> all;
  std::size_t count;

  [[nodiscard]] std::span<const section> parts() const { return std::span(all).first(count); }
};

// A shrinking section is wide in its earlier half, a growing one in its later half. That half is
// cut into two sections of the same kind, with one of the other kind between them.
cut cut_of(const section& whole, std::size_t size, half which) {
  const bool is_shrinking = whole.kind == sides::shrinking;
  if (is_shrinking != (which == half::earlier)) {
    return {.all = {whole}, .count = 1};
  }
  const sides other = is_shrinking ? sides::growing : sides::shrinking;
  const std::size_t quarter = size / 4;
  return {.all = {section{whole.kind, whole.centre - quarter},
                  section{other, whole.centre},
                  section{whole.kind, whole.centre + quarter}},
          .count = 3};
}

std::size_t num_growing(const section& rows, const section& columns) {
  return static_cast<std::size_t>(rows.kind == sides::growing) +
         static_cast<std::size_t>(columns.kind == sides::growing);
}

}  // namespace

stages stages_of(const piece& whole) {
  stages made;
  for (const half which : {half::earlier, half::later}) {
    const std::size_t stages_before = which == half::earlier ? 0 : 3;
    const std::size_t steps = which == half::earlier ? 0 : whole.size / 4;
    const cut rows = cut_of(whole.rows, whole.size, which);
    const cut columns = cut_of(whole.columns, whole.size, which);
    for (const section& of_rows : rows.parts()) {
      for (const section& of_columns : columns.parts()) {
        // Growing sections need the sides of shrinking ones, so they come later.
        stage& place = made[stages_before + num_growing(of_rows, of_columns)];
        place.pieces[place.count++] = {.rows = of_rows,
                                       .columns = of_columns,
                                       .size = whole.size / 2,
                                       .steps_before = whole.steps_before + steps};
      }
    }
  }
  return made;
}

std::array<piece, 4> whole_pieces(std::size_t num_cells) {
  const section inside{sides::shrinking, num_cells / 2};
  const section across{sides::growing, num_cells};  // across the two ends of the axis
  const auto whole = [num_cells](const section& rows, const section& columns) {
    return piece{.rows = rows, .columns = columns, .size = num_cells, .steps_before = 0};
  };
  return {
      whole(inside, inside), whole(across, inside), whole(inside, across), whole(across, across)};
}

std::uint64_t num_concurrent_pieces(std::size_t num_cells, std::size_t leaf) {
  std::uint64_t in_pyramid = 0;
  std::uint64_t in_wedge = 0;
  for (std::size_t size = leaf; size < num_cells; size *= 2) {
    const std::uint64_t in_larger_pyramid = 8 + 6 * in_pyramid + 4 * in_wedge;
    in_wedge = 4 + 2 * in_pyramid + 4 * in_wedge;
    in_pyramid = in_larger_pyramid;
  }
  return 2 * in_pyramid + 2 * in_wedge;
}

}  // namespace weft::lab::inncabs::pyramids
