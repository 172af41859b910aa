// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where problem sort stops forking, and the resulting number of tasks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::lab::tasks {

constexpr std::size_t sorted_alone = 2048;
constexpr std::size_t merged_alone = 4096;

/// The ends of the quarters of `size` elements, the first being 0.
inline std::array<std::size_t, 5> quarter_ends(std::size_t size) {
  return {0, size / 4, size / 2, size / 2 + (size - size / 2) / 2, size};
}

inline std::uint64_t num_merge_tasks(std::size_t size) {
  return size <= merged_alone ? 1
                              : 1 + num_merge_tasks(size / 2) + num_merge_tasks(size - size / 2);
}

inline std::uint64_t num_sort_tasks(std::size_t size) {
  if (size <= sorted_alone) {
    return 1;
  }
  const auto ends = quarter_ends(size);
  std::uint64_t tasks = 1 + num_merge_tasks(size);
  for (std::size_t i = 0; i < 4; ++i) {
    tasks += num_sort_tasks(ends[i + 1] - ends[i]);
  }
  return tasks + num_merge_tasks(ends[2]) + num_merge_tasks(size - ends[2]);
}

}  // namespace weft::lab::tasks
