// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counts of all policies of a process.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::counters {

/// The numbers behind the counters /policies/*.
///
/// Threads: any; all accesses are relaxed, because a sum orders nothing.
struct policy_counts {
  std::atomic<std::int64_t> num_calls{0};      // of the functions of policies
  std::atomic<std::int64_t> num_decisions{0};  // changes of a knob or of a tuner's value
};

/// Those of this process; they outlive every thread.
[[nodiscard]] policy_counts& process_policies() noexcept;

}  // namespace weft::counters
