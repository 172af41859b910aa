// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts boxes of a plan to the descriptors of one launch on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "halo/device/device_moves.hpp"
#include "halo/fields/copy.hpp"

namespace weft::halo::detail {

/// A box between a field and the buffer, or within a field.
struct box_move {
  enum class way : std::uint8_t { pack, unpack, within };

  box_copy box = {};
  std::size_t field = 0;
  way goes = way::within;
};

/// The copies of one launch. Pointer 0 is the buffer; pointer n + 1 is field `fields[n]`.
struct move_batch {
  std::vector<cell_move> moves;
  std::vector<move_tile> tiles;
  std::vector<std::size_t> fields;
};

/// Returns the largest word in which the box can be copied: a power of two, at most `alignment`
/// bytes.
[[nodiscard]] std::uint32_t word_bytes_of(const box_copy& box, std::size_t alignment);

/// Returns as many batches as needed, since a launch has a limited number of pointers to fields.
/// Shape: all pointers are multiples of `alignment`, a power of two. Boxes with more words than
///        `max_words`, or with cells further apart, are cut.
[[nodiscard]] std::vector<move_batch> make_batches(std::span<const box_move> boxes,
                                                   std::size_t alignment,
                                                   std::int64_t max_words = INT32_MAX);

}  // namespace weft::halo::detail
