// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX_ASSERT as weft's assertion.
#pragma once

#include <hpx/config.hpp>

#include "weft/base/assert.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are HPX's
#define HPX_ASSERT(condition) WEFT_ASSERT(condition, #condition)
#define HPX_ASSERT_MSG(condition, message) WEFT_ASSERT(condition, message)
// NOLINTEND(readability-identifier-naming)
