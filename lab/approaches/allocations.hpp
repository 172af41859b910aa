// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts how often a call allocates by malloc, on any thread and in any library.
#pragma once

#include <optional>

#include "lab/harness/experiment.hpp"

namespace weft::lab::approaches {

/// Counts calls of `malloc`, `calloc`, `realloc` and their aligned variants while it lives. The
/// program's own versions of these functions call the C library's; at other times they do nothing
/// else.
/// Threads: one at a time; allocations of all threads count.
class allocation_counter {
 public:
  allocation_counter() noexcept;
  allocation_counter(const allocation_counter&) = delete;
  allocation_counter& operator=(const allocation_counter&) = delete;
  ~allocation_counter();

  /// Since the counter was made. Empty if the program does not replace malloc: without glibc, and
  /// with a sanitizer, which has its own malloc.
  [[nodiscard]] std::optional<allocation_counts> counted() const noexcept;
};

}  // namespace weft::lab::approaches
