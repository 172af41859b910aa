// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input, oracle and check of problem pyramids.
#include "lab/inncabs/pyramids/pyramids.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/inncabs/first_difference.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/pyramids/grids.hpp"
#include "lab/inncabs/pyramids/pieces.hpp"
#include "lab/stl/inputs.hpp"

namespace weft::lab::inncabs::pyramids {
namespace {

struct sizes {
  std::size_t num_cells;
  std::size_t leaf;
};

sizes sizes_of(input_class which) {
  switch (which) {
    case input_class::tiny:
      return {.num_cells = 128, .leaf = 16};
    case input_class::small:
      return {.num_cells = 1024, .leaf = 64};
    case input_class::paper:
      break;
  }
  return {.num_cells = 2048, .leaf = 64};
}

}  // namespace

input make_input(input_class which, std::uint64_t seed) {
  const auto [num_cells, leaf] = sizes_of(which);
  input made{.num_cells = num_cells, .leaf = leaf, .start = {}};
  made.start.resize((num_cells + 1) * (num_cells + 1));
  stl::random_bits random(seed);
  for (double& point : made.start) {
    point = static_cast<double>(random.next() >> 11U) * 0x1p-53;
  }
  return made;
}

result run_serial(const input& in) {
  grids on(in.start, in.num_cells);
  for (std::size_t step = 1; step <= in.num_steps(); ++step) {
    on.compute_step(step, {1, in.num_cells}, {1, in.num_cells});
  }
  return on.after(in.num_steps());
}

std::string mismatch(const input& in, const result& found) {
  const result expected = run_serial(in);
  return first_difference(std::span(found), std::span(expected));
}

std::optional<std::uint64_t> num_tasks(const input& in) {
  return num_concurrent_pieces(in.num_cells, in.leaf);
}

std::string scaled(input_class /*which*/) { return {}; }

std::size_t memory_bytes(input_class which) {
  const std::size_t width = sizes_of(which).num_cells + 1;
  return 5 * width * width * sizeof(double);
}

}  // namespace weft::lab::inncabs::pyramids
