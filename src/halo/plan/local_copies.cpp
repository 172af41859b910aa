// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of a rank's copies to itself must wait for cells of other ranks, and which need not.
#include "halo/plan/local_copies.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"

#include "halo/fields/copy.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

/// Cells to fill, and the cells that they are copied from.
struct local_piece {
  piece into;
  piece from;

  /// Returns the part with `count` indices from `begin` on, in a dimension in which both sides have
  /// the same indices.
  [[nodiscard]] local_piece part(std::size_t dim,
                                 std::ptrdiff_t begin,
                                 std::ptrdiff_t count) const {
    local_piece made = *this;
    for (piece* const each : {&made.into, &made.from}) {
      each->first[dim] = begin;
      each->cells[dim] = count;
    }
    return made;
  }
};

box_copy box_of(const shape& field, const local_piece& what) {
  return make_copy(field.element_bytes,
                   what.into.cells,
                   {.offset = offset_of(field, what.into.first), .strides = field.strides},
                   {.offset = offset_of(field, what.from.first), .strides = field.strides});
}

/// Splits off the cells that other ranks fill first.
void add_early_and_late(const grid& processes,
                        const shape& field,
                        const extension& extended,
                        local_piece rest,
                        local_copies& into) {
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    if (!extended[d] || processes.num_processes(d) == 1) {
      continue;
    }
    const axis& along = field.axes[d];
    const std::ptrdiff_t below = along.begin - rest.into.first[d];
    const std::ptrdiff_t above = rest.into.cells[d] - below - along.size();
    if (below > 0) {
      into.late.push_back(box_of(field, rest.part(d, rest.into.first[d], below)));
    }
    if (above > 0) {
      into.late.push_back(box_of(field, rest.part(d, along.end + 1, above)));
    }
    rest = rest.part(d, along.begin, along.size());
  }
  into.early.push_back(box_of(field, rest));
}

local_copies copies_of(const grid& processes, const shape& field, const stage& what, flow way) {
  local_copies made;
  const bool sends_halo = way == flow::halo_to_owner;
  for (const direction& towards : what.served) {
    const local_piece whole{
        .into = piece_of(processes, field, towards, what.extended, !sends_halo),
        .from = piece_of(processes, field, opposite(towards), what.extended, sends_halo)};
    if (whole.into.bytes > 0) {
      made.boxes.push_back(box_of(field, whole));
      add_early_and_late(processes, field, what.extended, whole, made);
    }
  }
  return made;
}

/// Each extra box costs time. So if the early boxes have few bytes, or if splitting would leave
/// narrow rows, everything is copied at once, after other ranks' cells.
void join_small(std::span<local_copies> of_one_field) {
  constexpr std::ptrdiff_t least_early_bytes = std::ptrdiff_t{256} * 1024;
  constexpr std::ptrdiff_t least_row_bytes = 128;
  std::ptrdiff_t early_bytes = 0;
  bool has_late = false;
  bool has_narrow = false;
  for (const local_copies& each : of_one_field) {
    for (const box_copy& box : each.early) {
      early_bytes += box.bytes();
    }
    const bool is_along_rows = std::ranges::any_of(
        each.boxes, [](const box_copy& box) { return box.block_bytes >= least_row_bytes; });
    for (const box_copy& box : each.late) {
      has_late = true;
      has_narrow = has_narrow || (is_along_rows && box.block_bytes < least_row_bytes);
    }
  }
  if (has_late && (has_narrow || early_bytes < least_early_bytes)) {
    for (local_copies& each : of_one_field) {
      each.early.clear();
      each.late = each.boxes;
    }
  }
}

}  // namespace

std::vector<local_copies> local_copies_of(const grid& processes,
                                          const shape& field,
                                          std::span<const stage> stages,
                                          flow way) {
  std::vector<local_copies> made;
  for (std::size_t n = 0; n < stages.size(); ++n) {
    local_copies copies = copies_of(processes, field, stages[n], way);
    copies.stage = n;
    if (!copies.boxes.empty()) {
      made.push_back(std::move(copies));
    }
  }
  join_small(made);
  return made;
}

}  // namespace weft::halo::detail
