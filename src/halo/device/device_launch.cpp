// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uploads descriptors once; addresses are passed with each launch.
#include "halo/device/device_launch.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "halo/device/device.hpp"
#include "halo/device/device_batches.hpp"
#include "halo/device/device_moves.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::size_t widest = 16;  // bytes

}  // namespace

std::size_t common_alignment(std::span<std::byte* const> addresses) {
  std::uintptr_t all = widest;
  for (const std::byte* const each : addresses) {
    all |= reinterpret_cast<std::uintptr_t>(each);  // for its lowest bits
  }
  return all & (~all + 1);
}

launch::launch(device& on, std::vector<box_move> boxes) : on_(&on), boxes_(std::move(boxes)) {
  std::erase_if(boxes_, [](const box_move& each) { return each.box.bytes() == 0; });
  static_cast<void>(batches_for(widest));
}

const std::vector<launch::uploaded>& launch::batches_for(std::size_t alignment) {
  auto& found = by_alignment_[static_cast<std::size_t>(std::countr_zero(alignment))];
  if (found.has_value()) {
    return *found;
  }
  std::vector<uploaded> made;
  for (const move_batch& each : make_batches(boxes_, alignment)) {
    const std::size_t moves_bytes = each.moves.size() * sizeof(cell_move);
    const std::size_t tiles_bytes = each.tiles.size() * sizeof(move_tile);
    device_memory memory = allocate_on(*on_, moves_bytes + tiles_bytes);
    on_->upload(memory.get(), each.moves.data(), moves_bytes);
    on_->upload(memory.get() + moves_bytes, each.tiles.data(), tiles_bytes);
    const device_moves what{
        .moves = reinterpret_cast<const cell_move*>(memory.get()),  // the device's memory, not ours
        .tiles = reinterpret_cast<const move_tile*>(memory.get() + moves_bytes),
        .num_tiles = static_cast<std::uint32_t>(each.tiles.size())};
    made.push_back({std::move(memory), what, each.fields});
  }
  return found.emplace(std::move(made));
}

void launch::run(const launch_places& where, device_queue* in) {
  if (is_empty()) {
    return;
  }
  for (const uploaded& each : batches_for(where.alignment)) {
    move_pointers pointers;
    pointers.at[0] = where.buffer;
    for (std::size_t n = 0; n < each.fields.size(); ++n) {
      pointers.at[n + 1] = where.fields[each.fields[n]];
    }
    on_->move(each.what, pointers, in);
  }
}

}  // namespace weft::halo::detail
