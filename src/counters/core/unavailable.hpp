// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of a counter that has no value.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "weft/counters/counter.hpp"

namespace weft::counters::detail {

[[nodiscard]] inline counter_value unavailable(std::string reason) {
  return {.value = std::nullopt, .reason = std::move(reason)};
}

}  // namespace weft::counters::detail
