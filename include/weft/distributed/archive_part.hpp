// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Large data that travels beside the bytes of an archive.
#pragma once

#include <cstddef>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::distributed {

/// Memory that leaves beside the bytes of an archive. It belongs to a serialised object, which must
/// live until the message has left.
struct part {
  const std::byte* data = nullptr;
  std::size_t size = 0;
};

/// Memory of an object that was read, to be received into before the object is used.
struct part_to_fill {
  std::byte* data = nullptr;
  std::size_t size = 0;
};

}  // namespace weft::distributed
