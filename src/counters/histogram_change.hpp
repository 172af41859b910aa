// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was added to a histogram between two readings of it.
#pragma once

#include <optional>

#include "weft/counters/counter.hpp"

namespace weft::counters::detail {

/// Returns `now` without what was there `before`; nothing if a bucket holds less than before.
[[nodiscard]] std::optional<histogram_value> histogram_change(const histogram_value& before,
                                                              const histogram_value& now);

}  // namespace weft::counters::detail
