// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a call asks malloc for memory, by whichever thread and library.
#pragma once

#include <optional>

#include "lab/harness/experiment.hpp"

namespace weft::lab::approaches {

/// Counts what `malloc`, `calloc`, `realloc` and their aligned kin are asked for while it lives;
/// the program's own versions of them, which call the C library's, do nothing more at other times.
/// Threads: one at a time; allocations of all threads count.
class allocation_counter {
 public:
  allocation_counter() noexcept;
  allocation_counter(const allocation_counter&) = delete;
  allocation_counter& operator=(const allocation_counter&) = delete;
  ~allocation_counter();

  /// Since the counter was made; none where the program has no versions of its own: without glibc,
  /// and with a sanitizer, which has its own.
  [[nodiscard]] std::optional<allocation_counts> counted() const noexcept;
};

}  // namespace weft::lab::approaches
