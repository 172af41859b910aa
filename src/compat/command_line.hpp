// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What HPX's command lines say otherwise than weft's.
#pragma once

#include <string_view>

namespace hpx::compat {

/// Whether `argument` asks for as many workers as there may be, which weft takes anyway.
[[nodiscard]] constexpr bool asks_for_all_workers(std::string_view argument) noexcept {
  return argument == "--hpx:threads=all" || argument == "--hpx:threads=cores";
}

}  // namespace hpx::compat
