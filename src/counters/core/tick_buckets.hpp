// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts the histograms that workers keep to those that counters return.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/counters/counter.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters::detail {

/// Returns the middle of a bucket's range of whole numbers.
[[nodiscard]] double middle_of(std::size_t bucket) noexcept;

/// Returns `recorded` with the ends of its ranges in a unit; `per_tick` is the length of a tick in
/// that unit. Leaves out empty ranges at both ends. The sum uses the middle of each range.
///
/// Example: tests/counters/algorithm_counts_test.cpp: histograms_begin_and_end_where_something_is.
[[nodiscard]] histogram_value to_histogram(const tick_histogram<std::uint64_t>& recorded,
                                           double per_tick);

}  // namespace weft::counters::detail
