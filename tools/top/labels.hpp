// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of tasks as their authors would call them.
#pragma once

#include <string>
#include <string_view>

namespace weft::top {

/// What a demangled function of the runtime says about whose code it runs: the innermost lambda or
/// function that is not weft's own; as it is if there is none.
[[nodiscard]] std::string readable_label(std::string_view demangled);

}  // namespace weft::top
