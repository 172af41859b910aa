// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seeded instances: cells are placed at random, so that a plan exists, and then get more shapes.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lab/inncabs/floorplan/floorplan.hpp"
#include "lab/inncabs/floorplan/plan.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/stl/inputs.hpp"

namespace weft::lab::inncabs::floorplan {
namespace {

constexpr std::uint64_t side_min = 2;
constexpr std::uint64_t side_max = 8;
constexpr std::size_t choices_of_place = 4;
constexpr int draws_of_shapes = 20;

/// `offset` is added to the seed. With it, the first draw of seed 42 is accepted, and searching it
/// backwards takes about as long as forwards.
struct class_row {
  std::size_t num_cells;
  effort wanted;
  std::uint64_t offset;
};

constexpr std::array<class_row, input_classes.size()> rows{
    {{.num_cells = 5, .wanted = {.least = 200, .most = 20'000}, .offset = 0},
     {.num_cells = 15, .wanted = {.least = 2'000'000, .most = 8'000'000}, .offset = 14},
     {.num_cells = 20, .wanted = {.least = 8'000'000, .most = 32'000'000}, .offset = 0}}};

const class_row& row_of(input_class which) { return rows[static_cast<std::size_t>(which)]; }

shape shape_of(int width, int height) {
  return {.width = static_cast<std::uint8_t>(width), .height = static_cast<std::uint8_t>(height)};
}

/// A possible place of the next cell, and the neighbours that the cell touches there.
struct place {
  rectangle where;
  std::optional<std::size_t> left = {};
  std::optional<std::size_t> above = {};
  /// The cell can then be moved along that neighbour; between two neighbours it cannot be moved.
  [[nodiscard]] bool has_one_neighbour() const { return !left || !above; }
};

/// Adds every free place that touches the neighbours of `next`.
void add_places(const plan& laid, const cell& next, shape size, std::vector<place>& found) {
  const position_run run = positions_of(laid, next, size);
  for (int i = 0; i < run.count; ++i) {
    if (fits(laid, run.at(i))) {
      found.push_back({.where = run.at(i), .left = next.left, .above = next.above});
    }
  }
}

std::vector<place> places_for(const plan& laid, shape size) {
  std::vector<place> found;
  for (std::size_t other = 0; other < laid.num_placed; ++other) {
    add_places(laid, {.left = other}, size, found);
    add_places(laid, {.above = other}, size, found);
    for (std::size_t above = 0; above < laid.num_placed; ++above) {
      add_places(laid, {.left = other, .above = above}, size, found);
    }
  }
  return found;
}

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  std::vector<cell> cells(std::size_t count) {
    std::vector<cell> made;
    plan laid;
    while (made.size() < count) {
      const shape size = drawn_shape();
      const place chosen = made.empty() ? place{.where = {.size = size}} : chosen_place(laid, size);
      laid = laid.with(chosen.where);
      made.push_back({.shapes = shapes_like(size), .left = chosen.left, .above = chosen.above});
    }
    return made;
  }

 private:
  int drawn_side() { return static_cast<int>(side_min + random_.below(side_max - side_min + 1)); }

  shape drawn_shape() {
    const int width = drawn_side();
    const int height = drawn_side();
    return shape_of(width, height);
  }

  /// Returns one of the places that increase the area least; one with two neighbours, if possible.
  place chosen_place(const plan& laid, shape size) {
    std::vector<place> found = places_for(laid, size);
    if (!std::ranges::all_of(found, &place::has_one_neighbour)) {
      std::erase_if(found, std::mem_fn(&place::has_one_neighbour));
    }
    std::ranges::sort(found, {}, [&](const place& each) {
      return std::tuple(
          laid.area_with(each.where), each.where.x, each.where.y, each.left, each.above);
    });
    return found.at(random_.below(std::min(found.size(), choices_of_place)));
  }

  /// Returns `first`, and other shapes of about the same area, in random order.
  std::vector<shape> shapes_like(shape first) {
    std::vector<shape> made{first};
    const auto add = [&made](shape other) {
      if (std::ranges::find(made, other) == made.end()) {
        made.push_back(other);
      }
    };
    add(shape_of(first.height, first.width));
    for (int i = 0; i < draws_of_shapes && made.size() < max_shapes; ++i) {
      const int width = drawn_side();
      const int height = (first.area() + width - 1) / width;
      if (height >= static_cast<int>(side_min) && height <= static_cast<int>(side_max)) {
        add(shape_of(width, height));
      }
    }
    for (std::size_t i = made.size(); i > 1; --i) {
      std::swap(made[i - 1], made[random_.below(i)]);
    }
    return made;
  }

  stl::random_bits random_;
};

/// Returns true if the serial search of `drawn` takes the wanted effort; its optimum is then known.
bool is_accepted(input& drawn, const effort& wanted) {
  drawn.task_limit = wanted.most;
  const result found = run_serial(drawn);
  drawn.task_limit.reset();
  drawn.optimum = found.area;
  return found.is_complete && found.nodes >= wanted.least;
}

}  // namespace

effort effort_of(input_class which) { return row_of(which).wanted; }

input make_input(input_class which, std::uint64_t seed) {
  const class_row& row = row_of(which);
  stl::random_bits seeds(seed + row.offset);
  for (;;) {
    input drawn{.cells = generator(seeds.next()).cells(row.num_cells)};
    if (is_accepted(drawn, row.wanted)) {
      return drawn;
    }
  }
}

std::string scaled(input_class /*which*/) { return {}; }

}  // namespace weft::lab::inncabs::floorplan
