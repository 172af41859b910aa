// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts space and time into pieces that can be computed one after the other, or at the same time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::lab::inncabs::pyramids {

/// A point needs its neighbours of the previous step. A region that is computed without outside
/// points loses a point on each side with every step; the gap between two such regions grows
/// accordingly.
enum class sides : std::uint8_t { shrinking, growing };

/// The extent of a piece along one axis. The axis is a circle: its two ends are one point.
struct section {
  sides kind = sides::shrinking;
  std::size_t centre = 0;
};

/// Half-open.
struct points {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// A region of space and time: `size / 2` steps of the points in both sections.
///
/// Both sections shrinking: a pyramid. Both growing: a pyramid on its apex. One of each: a wedge,
/// with its lower edge along one axis and its upper edge along the other.
/// Units:   points and steps; `size` is a power of two, at least 2.
struct piece {
  section rows;
  section columns;
  std::size_t size = 0;
  std::size_t steps_before = 0;
};

/// The points that a section of a piece of this size covers in its step `step`, from 1 to `size /
/// 2`.
constexpr points covered(const section& along, std::size_t size, std::size_t step) {
  return along.kind == sides::shrinking
             ? points{along.centre - size / 2 + step, along.centre + size / 2 - step + 1}
             : points{along.centre - step + 1, along.centre + step};
}

/// Pieces that can be computed at the same time.
struct stage {
  std::array<piece, 4> pieces;
  std::size_t count = 0;
};

/// The pieces of half the size that a piece consists of, in stages; each stage needs only the
/// stages before it. Some stages are empty; stages with one piece make no task.
///
/// A pyramid consists of 4 pyramids, the 4 wedges between them, the pyramid on its apex that they
/// leave in the middle, and a pyramid on top. A wedge consists of 2 wedges, a pyramid on its apex
/// between them, a pyramid upon that, and 2 more wedges at its sides. A pyramid on its apex is a
/// pyramid in reverse.
/// Source: Frigo, Strumpen, "Cache Oblivious Stencil Computations", ICS 2005, of which this is the
///         case of cuts through space and time at once, as products of cuts along each axis.
using stages = std::array<stage, 6>;
stages stages_of(const piece& whole);

/// The pieces that tile `num_cells / 2` steps of a grid with `num_cells` cells in each direction.
/// They are computed one after the other: a pyramid, two wedges, and a pyramid on its apex.
std::array<piece, 4> whole_pieces(std::size_t num_cells);

/// Returns how many pieces are in stages of more than one, in all levels down to pieces of size
/// `leaf`.
///
/// The two wedges of `whole_pieces` could also be computed at the same time. They are not, so that
/// the number is that of the study.
std::uint64_t num_concurrent_pieces(std::size_t num_cells, std::size_t leaf);

}  // namespace weft::lab::inncabs::pyramids
