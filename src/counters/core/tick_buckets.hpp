// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Histograms as workers keep them, as counters show them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/counters/counter.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters::detail {

/// The middle of a range of whole numbers.
[[nodiscard]] double middle_of(std::size_t bucket) noexcept;

/// Returns `recorded` with ends of ranges in a unit of which a tick is `per_tick`, without the
/// empty ranges at either end. The sum takes the middles of ranges for what fell into them.
///
/// Example: tests/counters/algorithm_counts_test.cpp: histograms_begin_and_end_where_something_is.
[[nodiscard]] histogram_value to_histogram(const tick_histogram<std::uint64_t>& recorded,
                                           double per_tick);

}  // namespace weft::counters::detail
