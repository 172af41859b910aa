// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that are exchanged together must not share memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {

/// Keeps its memory: nothing is allocated for as many fields again.
class overlap_finder {
 public:
  /// Empty, or which two fields overlap and what to do. Fields that are not dense, such as the
  /// members of an array of structs, may lie between each other; equal pointers are always refused.
  /// Shape: `data` has one pointer per shape; null ones overlap with nothing. `parts_per_field`:
  ///        they are named as parts of fields that have so many in a row; 0: as fields.
  /// Cost:  n log n comparisons.
  [[nodiscard]] std::string among(std::span<const shape> fields,
                                  std::span<std::byte* const> data,
                                  std::size_t parts_per_field = 0);

 private:
  struct extent {
    const std::byte* first;
    const std::byte* last;  // behind the end
    const std::byte* data;
    std::size_t index;
    bool is_dense;  // nothing of anybody else lies between the first and the last byte
  };
  static extent extent_of(const shape& field, const std::byte* data, std::size_t index);

  std::vector<extent> extents_;
};

}  // namespace weft::halo::detail
