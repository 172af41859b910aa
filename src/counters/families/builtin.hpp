// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of every process.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Adds `families` to `to`, which must outlive the registrations in `kept`.
void add_families(registry& to,
                  std::vector<registration>& kept,
                  const std::vector<counter_family>& families);

/// Adds the built-in families to `to`, which must outlive the registrations in `kept`.
void add_builtin_families(registry& to, std::vector<registration>& kept);

}  // namespace weft::counters::detail
