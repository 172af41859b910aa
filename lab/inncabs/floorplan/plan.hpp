// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rectangles on a board: the possible places of the next cell of a floorplan, and the area of a
// plan.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::lab::inncabs::floorplan {

constexpr int board_side = 64;
constexpr std::size_t max_cells = 20;
constexpr std::size_t max_shapes = 3;

struct shape {
  std::uint8_t width = 0;
  std::uint8_t height = 0;
  [[nodiscard]] int area() const { return width * height; }
  bool operator==(const shape&) const = default;
};

/// Units: squares of the board; y grows downwards.
struct rectangle {
  std::uint8_t x = 0;
  std::uint8_t y = 0;
  shape size = {};
  [[nodiscard]] int right() const { return x + size.width; }
  [[nodiscard]] int bottom() const { return y + size.height; }
  bool operator==(const rectangle&) const = default;
};

/// `x` and `y` are at most `board_side`.
[[nodiscard]] inline rectangle rectangle_at(int x, int y, shape size) {
  return {.x = static_cast<std::uint8_t>(x), .y = static_cast<std::uint8_t>(y), .size = size};
}

[[nodiscard]] inline bool share_rows(const rectangle& a, const rectangle& b) {
  return a.y < b.bottom() && b.y < a.bottom();
}

[[nodiscard]] inline bool share_columns(const rectangle& a, const rectangle& b) {
  return a.x < b.right() && b.x < a.right();
}

[[nodiscard]] inline bool overlap(const rectangle& a, const rectangle& b) {
  return share_rows(a, b) && share_columns(a, b);
}

/// One cell: its possible shapes, and the earlier cells that it touches. It is directly to the
/// right of `left` and directly below `above`. The first cell has neither and is in the corner;
/// every other cell has at least one.
struct cell {
  std::vector<shape> shapes = {};
  std::optional<std::size_t> left = {};
  std::optional<std::size_t> above = {};
};

/// The first cells with their positions, and the corner of their bounding rectangle.
struct plan {
  std::array<rectangle, max_cells> placed{};
  std::uint8_t num_placed = 0;
  std::uint8_t width = 0;
  std::uint8_t height = 0;

  [[nodiscard]] int area() const { return width * height; }
  [[nodiscard]] std::span<const rectangle> cells() const {
    return std::span(placed).first(num_placed);
  }
  /// Area with `where` added.
  [[nodiscard]] int area_with(const rectangle& where) const {
    return std::max<int>(width, where.right()) * std::max<int>(height, where.bottom());
  }
  [[nodiscard]] plan with(const rectangle& where) const {
    plan grown = *this;
    grown.placed[grown.num_placed++] = where;
    grown.width = static_cast<std::uint8_t>(std::max<int>(width, where.right()));
    grown.height = static_cast<std::uint8_t>(std::max<int>(height, where.bottom()));
    return grown;
  }
};

[[nodiscard]] inline bool is_on_board(const rectangle& where) {
  return where.right() <= board_side && where.bottom() <= board_side;
}

[[nodiscard]] inline bool fits(const plan& so_far, const rectangle& where) {
  return is_on_board(where) && std::ranges::none_of(so_far.cells(), [&](const rectangle& other) {
           return overlap(where, other);
         });
}

/// A row or column of positions for one shape.
struct position_run {
  shape size = {};
  int x = 0;
  int y = 0;
  int step_x = 0;
  int step_y = 0;
  int count = 0;

  [[nodiscard]] rectangle at(int i) const {
    return rectangle_at(x + i * step_x, y + i * step_y, size);
  }
};

/// Returns the positions at which `next`, in the shape `size`, touches its required cells. The cell
/// may still not fit there.
[[nodiscard]] position_run positions_of(const plan& so_far, const cell& next, shape size);

/// One run for each shape of a cell, in order; further runs are empty.
using position_runs = std::array<position_run, max_shapes>;

[[nodiscard]] position_runs runs_of(const plan& so_far, const cell& next);

[[nodiscard]] std::size_t num_positions(const position_runs& runs);

}  // namespace weft::lab::inncabs::floorplan
