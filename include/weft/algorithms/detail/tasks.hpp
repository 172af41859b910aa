// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few large pieces of work, each taken by whoever is free.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "weft/algorithms/detail/shares.hpp"

namespace weft::algorithms::detail {

/// Calls `task(i)` for i in [0, num_tasks), in the order of i, by all that come. After an exception
/// no further task begins.
template <class How, class Task>
void for_tasks(const How& how, std::size_t num_tasks, Task&& task) {
  std::atomic<std::size_t> next{
      0};  // relaxed: what tasks write is ordered by the end of the region
  region(how, num_tasks, [&next, &task, num_tasks](std::size_t /*share*/) {
    for (;;) {
      const std::size_t mine = next.fetch_add(1, std::memory_order_relaxed);
      if (mine >= num_tasks) {
        return;
      }
      try {
        task(mine);
      } catch (...) {
        next.store(num_tasks, std::memory_order_relaxed);
        throw;
      }
    }
  });
}

/// The first index of part `i` of `num_parts` almost equal ones of [0, n).
[[nodiscard]] constexpr std::size_t part_begin(std::size_t n,
                                               std::size_t num_parts,
                                               std::size_t i) noexcept {
  return (n / num_parts) * i + std::min(i, n % num_parts);
}

}  // namespace weft::algorithms::detail
