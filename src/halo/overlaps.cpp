// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the first and the last bytes of fields.
#include "halo/overlaps.hpp"

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {
namespace {

struct byte_range {
  const std::byte* first;
  const std::byte* last;  // behind the end
};

byte_range range_of(const shape& field, const std::byte* data) {
  byte_range found{data, data + field.element_bytes};
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    const std::ptrdiff_t reach = (field.axes[d].length - 1) * field.strides[d];
    (reach < 0 ? found.first : found.last) += reach;
  }
  return found;
}

/// Nothing of anybody else lies between the first and the last byte.
bool is_dense(const shape& field, const byte_range& where) {
  auto bytes = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    bytes *= field.axes[d].length;
  }
  return where.last - where.first == bytes;
}

}  // namespace

std::string overlap_among(std::span<const shape> fields, std::span<std::byte* const> data) {
  const std::less<const std::byte*> before;
  for (std::size_t a = 0; a < data.size(); ++a) {
    const byte_range first = range_of(fields[a], data[a]);
    for (std::size_t b = a + 1; b < data.size(); ++b) {
      const byte_range second = range_of(fields[b], data[b]);
      const bool are_dense = is_dense(fields[a], first) && is_dense(fields[b], second);
      if (data[a] == data[b] ||
          (are_dense && before(first.first, second.last) && before(second.first, first.last))) {
        return "fields " + std::to_string(a) + " and " + std::to_string(b) +
               " overlap in memory; pass each field once";
      }
    }
  }
  return {};
}

}  // namespace weft::halo::detail
