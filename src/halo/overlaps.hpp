// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that are exchanged together must not share memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {

/// Empty, or which two fields overlap and what to do. Fields that are not dense, such as the
/// members of an array of structs, may lie between each other; equal pointers are always refused.
/// `data` has one pointer per shape, none of them null.
[[nodiscard]] std::string overlap_among(std::span<const shape> fields,
                                        std::span<std::byte* const> data);

}  // namespace weft::halo::detail
