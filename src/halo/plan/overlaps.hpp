// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that fields that are exchanged together do not share memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {

/// Keeps its memory: later calls with as many fields allocate nothing.
class overlap_finder {
 public:
  /// Returns which two fields overlap and what to do, or an empty string. Fields that are not
  /// dense, such as the members of an array of structs, may interleave. Equal pointers are always
  /// an error.
  /// Shape: `data` has one pointer per shape; null pointers overlap with nothing.
  ///        `parts_per_field`: so many fields in a row are reported as parts of one field; 0: as
  ///        fields.
  /// Cost:  n log n comparisons.
  [[nodiscard]] std::string among(std::span<const shape> fields,
                                  std::span<std::byte* const> data,
                                  std::size_t parts_per_field = 0);

 private:
  struct extent {
    const std::byte* first;
    const std::byte* last;  // past the end
    const std::byte* data;
    std::size_t index;
    bool is_dense;  // all bytes between the first and the last belong to this field
  };
  static extent extent_of(const shape& field, const std::byte* data, std::size_t index);

  std::vector<extent> extents_;
};

}  // namespace weft::halo::detail
