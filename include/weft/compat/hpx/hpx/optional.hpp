// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// <optional> under HPX's names.
#pragma once

#include <optional>

namespace hpx {
using std::bad_optional_access;
using std::in_place;
using std::make_optional;
using std::nullopt;
using std::optional;
}  // namespace hpx
