// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts boxes until 32-bit arithmetic suffices, and assigns them to blocks of threads.
#include "halo/device/device_batches.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "weft/halo/detail/shape.hpp"

#include "halo/device/device_moves.hpp"
#include "halo/fields/copy.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::size_t max_word_bytes = 16;

/// A dimension whose size may still exceed 32 bits. Units: words.
struct wide_dim {
  std::int64_t count = 1;
  std::int64_t into_stride = 0;
  std::int64_t from_stride = 0;

  [[nodiscard]] std::int64_t reach() const {
    return (count - 1) * std::max(std::abs(into_stride), std::abs(from_stride));
  }
};

struct wide_box {
  // as in cell_move; those after num_dims have count one
  std::array<wide_dim, max_move_dims> dims{};
  std::uint32_t num_dims = 1;
  std::int64_t into_offset = 0;  // bytes
  std::int64_t from_offset = 0;
  std::int64_t word_bytes = 1;

  [[nodiscard]] std::int64_t num_words() const {
    std::int64_t words = 1;
    for (const wide_dim& each : dims) {
      words *= each.count;
    }
    return words;
  }
  [[nodiscard]] std::int64_t reach() const {
    std::int64_t all = 0;
    for (const wide_dim& each : dims) {
      all += each.reach();
    }
    return all;
  }
};

wide_box widened(const box_copy& box, std::uint32_t word_bytes) {
  wide_box made{.into_offset = box.into.offset,
                .from_offset = box.from.offset,
                .word_bytes = std::int64_t{word_bytes}};
  made.dims[0] = {.count = box.block_bytes / made.word_bytes, .into_stride = 1, .from_stride = 1};
  for (std::size_t d = max_dims; d-- > 0;) {
    if (box.counts[d] > 1) {
      made.dims[made.num_dims++] = {.count = box.counts[d],
                                    .into_stride = box.into.strides[d] / made.word_bytes,
                                    .from_stride = box.from.strides[d] / made.word_bytes};
    }
  }
  return made;
}

cell_move narrowed(const wide_box& box, const box_move& what, std::uint16_t field) {
  cell_move made{.into_offset = box.into_offset,
                 .from_offset = box.from_offset,
                 .num_words = static_cast<std::uint32_t>(box.num_words()),
                 .num_dims = box.num_dims,
                 .word_bytes = static_cast<std::uint32_t>(box.word_bytes)};
  made.into = what.goes == box_move::way::pack ? std::uint16_t{0} : field;
  made.from = what.goes == box_move::way::unpack ? std::uint16_t{0} : field;
  for (std::size_t d = 0; d < box.num_dims; ++d) {
    made.dims[d] = {.count = make_divisor(static_cast<std::uint32_t>(box.dims[d].count)),
                    .into_stride = static_cast<std::int32_t>(box.dims[d].into_stride),
                    .from_stride = static_cast<std::int32_t>(box.dims[d].from_stride)};
  }
  return made;
}

/// Cuts the dimension that reaches furthest, until no part exceeds `max_words`.
std::vector<wide_box> cut(const wide_box& whole, std::int64_t max_words) {
  std::vector<wide_box> done;
  std::vector<wide_box> left{whole};
  while (!left.empty()) {
    wide_box box = left.back();
    left.pop_back();
    if (box.num_words() <= max_words && box.reach() <= max_words) {
      done.push_back(box);
      continue;
    }
    auto& widest = *std::ranges::max_element(box.dims, {}, [](const wide_dim& each) {
      return each.count > 1 ? std::max(each.reach(), each.count) : 0;
    });
    wide_box second = box;
    const std::int64_t half = widest.count / 2;
    wide_dim& rest = second.dims[static_cast<std::size_t>(&widest - box.dims.data())];
    second.into_offset += half * widest.into_stride * box.word_bytes;
    second.from_offset += half * widest.from_stride * box.word_bytes;
    rest.count -= half;
    widest.count = half;
    left.push_back(second);
    left.push_back(box);
  }
  return done;
}

/// Returns the number of the field's pointer in `into`, which has room for it.
std::uint16_t pointer_of(std::size_t field, move_batch& into) {
  auto found = std::ranges::find(into.fields, field);
  if (found == into.fields.end()) {
    found = into.fields.insert(found, field);
  }
  return static_cast<std::uint16_t>(found - into.fields.begin() + 1);
}

void append(const cell_move& what, move_batch& into) {
  const auto number = static_cast<std::uint32_t>(into.moves.size());
  into.moves.push_back(what);
  for (std::uint64_t first = 0; first < what.num_words; first += words_per_tile) {
    into.tiles.push_back({.move = number, .first_word = static_cast<std::uint32_t>(first)});
  }
}

}  // namespace

std::uint32_t word_bytes_of(const box_copy& box, std::size_t alignment) {
  std::size_t all = max_word_bytes | alignment | static_cast<std::size_t>(box.block_bytes) |
                    static_cast<std::size_t>(std::abs(box.into.offset)) |
                    static_cast<std::size_t>(std::abs(box.from.offset));
  for (std::size_t d = 0; d < max_dims; ++d) {
    if (box.counts[d] > 1) {
      all |= static_cast<std::size_t>(std::abs(box.into.strides[d])) |
             static_cast<std::size_t>(std::abs(box.from.strides[d]));
    }
  }
  return static_cast<std::uint32_t>(all & (~all + 1));  // the lowest bit that is set in any of them
}

std::vector<move_batch> make_batches(std::span<const box_move> boxes,
                                     std::size_t alignment,
                                     std::int64_t max_words) {
  std::vector<move_batch> made;
  for (const box_move& each : boxes) {
    if (each.box.bytes() == 0) {
      continue;
    }
    const bool is_full = made.empty() || (made.back().fields.size() + 1 == max_move_pointers &&
                                          std::ranges::find(made.back().fields, each.field) ==
                                              made.back().fields.end());
    if (is_full) {
      made.emplace_back();
    }
    const std::uint16_t field = pointer_of(each.field, made.back());
    const wide_box whole = widened(each.box, word_bytes_of(each.box, alignment));
    for (const wide_box& part : cut(whole, max_words)) {
      append(narrowed(part, each, field), made.back());
    }
  }
  return made;
}

}  // namespace weft::halo::detail
