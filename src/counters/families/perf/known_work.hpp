// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of known size. A counter that does not change while it runs does not count.
#pragma once

namespace weft::counters::detail {

inline constexpr int known_work_rounds = 20000;

/// Each round executes at least 10 instructions, 3 cycles, and one unpredictable branch. Half of
/// the rounds execute a scalar double addition. Each reads one random line of 1 MiB. Returns a
/// value that depends on all of this.
///
/// Cost:    about a millisecond, most of it first touches.
double known_work() noexcept;

}  // namespace weft::counters::detail
