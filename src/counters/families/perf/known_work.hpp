// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of known size: a counter that does not move while it runs does not count.
#pragma once

namespace weft::counters::detail {

inline constexpr int known_work_rounds = 20000;

/// Per round: at least 10 instructions, 3 cycles, one unpredictable branch, a scalar double
/// addition in half of the rounds, and one read of a line chosen at random from 1 MiB. Returns a
/// value that depends on all of it.
/// Cost:    about a millisecond, most of it first touches.
double known_work() noexcept;

}  // namespace weft::counters::detail
