// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector with room, or without if memory is short.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace weft::algorithms::detail {

/// Room for `n` elements, or none if there is no memory.
template <class T>
[[nodiscard]] std::vector<T> reserved(std::size_t n) {
  std::vector<T> room;
  try {
    room.reserve(n);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): seen by its capacity
  }
  return room;
}

}  // namespace weft::algorithms::detail
