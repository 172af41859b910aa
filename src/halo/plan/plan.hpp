// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which cells of which field are sent where, in which order: everything of an exchange that is
// known before it starts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"

namespace weft::halo::detail {

/// Dimensions whose halos are filled already and are sent along with the inner cells.
using extension = std::array<bool, max_dims>;

/// Cells of one field that are sent to, or received from, one direction.
struct piece {
  std::size_t field = 0;
  direction towards{};
  box_counts first{};  // index of the first cell in the field
  box_counts cells{1, 1, 1, 1};
  std::ptrdiff_t buffer_offset = 0;  // bytes, within the message
  std::ptrdiff_t bytes = 0;
  bool in_index_order = false;  // in messages the last index is the fastest, whatever the layout
};

/// This rank and another one in one phase.
struct link {
  int peer = -1;
  int node_rank = -1;  // -1: on another node, or reached by messages
  std::vector<piece> out = {};
  std::vector<piece> in = {};
  std::ptrdiff_t out_bytes = 0;
  std::ptrdiff_t in_bytes = 0;
};

struct phase {
  extension extended{};
  std::vector<link> links = {};
};

/// Copies within a field, after all phases. Copies of one stage may need the results of the
/// previous stage.
struct local_copies {
  std::size_t field = 0;
  std::size_t stage = 0;
  std::vector<box_copy> boxes = {};
  // The same cells, split: `early` has the cells that no other rank fills, `late` those that other
  // ranks fill first.
  std::vector<box_copy> early = {};
  std::vector<box_copy> late = {};
};

struct plan {
  std::vector<phase> phases;
  std::vector<local_copies> locals;
};

/// Which way cells travel.
enum class flow : std::uint8_t { owner_to_halo, halo_to_owner };

/// Returns the sweeps that do the boxes: copies in pairs where that is faster, sums one by one.
[[nodiscard]] std::vector<sweep> sweeps_of(const std::vector<box_copy>& boxes, flow way);

/// Returns all 3^num_dims directions, in the order in which pieces are sent.
[[nodiscard]] std::vector<direction> directions_of(std::size_t num_dims);

[[nodiscard]] bool is_wanted(const direction& towards, directions which);

/// The cells that this rank sends towards `towards`, or, if `is_out` is false, fills from there.
/// Shape: `grid` says on which sides an extended dimension has halos.
[[nodiscard]] piece piece_of(const grid& processes,
                             const shape& field,
                             const direction& towards,
                             const extension& extended,
                             bool takes_halo);

/// Returns the dimensions, the one with the smallest stride first.
[[nodiscard]] std::vector<std::size_t> by_stride(const shape& field);

/// Returns the dimensions in the order of a message, the fastest first.
[[nodiscard]] std::vector<std::size_t> packing_order(const shape& field, const piece& what);

/// Returns the bytes from one cell to the next in a buffer that holds only `what`.
[[nodiscard]] box_strides packed_strides(const shape& field, const piece& what);

/// Returns the byte offset of a cell in its field.
[[nodiscard]] std::ptrdiff_t offset_of(const shape& field, const box_counts& cell);

/// Returns one side of a copy of the piece: its cells in the field, or packed in a buffer.
[[nodiscard]] inline box_side in_field(const shape& field, const piece& what) {
  return {.offset = offset_of(field, what.first), .strides = field.strides};
}
[[nodiscard]] inline box_side in_buffer(const shape& field, const piece& what) {
  return {.offset = what.buffer_offset, .strides = packed_strides(field, what)};
}

[[nodiscard]] plan make_plan(const grid& processes,
                             const exchange_options& options,
                             std::span<const shape> fields,
                             flow way);

/// Why something cannot be done; an empty text means that it can.
struct refusal {
  std::string why = {};
  errc code = errc::unsupported;
};

/// Returns the level in `WEFT_HALO_VALIDATE`; `descriptors` if it is not set; nullopt if it names
/// no level.
[[nodiscard]] std::optional<validation> level_of_environment();
/// Returns the error in `WEFT_HALO_VALIDATE`, if `options` uses it; empty if it is valid.
[[nodiscard]] std::string wrong_level(const exchange_options& options);

/// Returns the same choice, as `all` where both mean the same directions: `faces` in one dimension.
[[nodiscard]] exchange_options with_widest_directions(exchange_options options,
                                                      std::size_t num_dims);

/// Returns why this rank cannot do the exchange.
[[nodiscard]] refusal trouble_with(const grid& processes,
                                   const exchange_options& options,
                                   std::span<const shape> fields);

/// Returns why strides put two cells of a field at one address; empty if no two dimensions do.
[[nodiscard]] std::string shared_addresses(const shape& field);

/// "(+1,0,-1)"
[[nodiscard]] std::string to_string(const direction& towards, std::size_t num_dims);

constexpr direction opposite(const direction& towards) {
  return {-towards[0], -towards[1], -towards[2], -towards[3]};
}

}  // namespace weft::halo::detail
