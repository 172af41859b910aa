// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the first and the last bytes of fields, in the order of their addresses.
#include "halo/plan/overlaps.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {
namespace {

std::string part_name(std::size_t index, std::size_t parts_per_field) {
  return "part " + std::to_string(index % parts_per_field) + " of field " +
         std::to_string(index / parts_per_field);
}

}  // namespace

overlap_finder::extent overlap_finder::extent_of(const shape& field,
                                                 const std::byte* data,
                                                 std::size_t index) {
  extent found{data, data + field.element_bytes, data, index, false};
  auto bytes = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    const std::ptrdiff_t reach = (field.axes[d].length - 1) * field.strides[d];
    (reach < 0 ? found.first : found.last) += reach;
    bytes *= field.axes[d].length;
  }
  found.is_dense = found.last - found.first == bytes;
  return found;
}

std::string overlap_finder::among(std::span<const shape> fields,
                                  std::span<std::byte* const> data,
                                  std::size_t parts_per_field) {
  const auto told = [&](const extent& one, const extent& other) {
    const auto [first, second] = std::minmax(one.index, other.index);
    if (parts_per_field == 0) {
      return "fields " + std::to_string(first) + " and " + std::to_string(second) +
             " overlap in memory; pass each of them once";
    }
    return part_name(first, parts_per_field) + " and " + part_name(second, parts_per_field) +
           " overlap in memory; each needs memory of its own, halos included";
  };
  extents_.clear();
  for (std::size_t n = 0; n < data.size(); ++n) {
    if (data[n] != nullptr) {
      extents_.push_back(extent_of(fields[n], data[n], n));
    }
  }
  std::ranges::sort(extents_, std::ranges::less(), &extent::data);
  const auto same = std::ranges::adjacent_find(extents_, {}, &extent::data);
  if (same != extents_.end()) {
    return told(*same, *(same + 1));
  }
  std::ranges::sort(extents_, std::ranges::less(), &extent::first);
  const std::less<const std::byte*> before;
  const extent* farthest = nullptr;  // of the dense fields so far
  for (const extent& each : extents_) {
    if (!each.is_dense) {
      continue;
    }
    if (farthest != nullptr && before(each.first, farthest->last)) {
      return told(*farthest, each);
    }
    farthest = &each;
  }
  return {};
}

}  // namespace weft::halo::detail
