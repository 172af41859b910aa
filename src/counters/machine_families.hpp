// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All families of the process and of its machine.
#pragma once

#include <vector>

#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Adds /runtime, /os, /net, /energy, /perf and /papi to `to`, which must outlive what is put into
/// `kept`.
void add_machine_families(registry& to, std::vector<registration>& kept);

}  // namespace weft::counters::detail
