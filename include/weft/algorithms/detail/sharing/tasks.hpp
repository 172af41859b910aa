// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few large pieces of work; each free worker takes the next one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "weft/algorithms/detail/sharing/shares.hpp"

namespace weft::algorithms::detail {

/// A task without its type: `call(object, i)`.
struct numbered_task {
  void* object;
  void (*call)(void* object, std::size_t i);
};
void run_tasks(const loop_policy& how, std::size_t num_tasks, const numbered_task& task);

/// Calls `task(i)` for i in [0, num_tasks), in the order of i, by all that come. After an exception
/// no further task begins.
template <class Task>
void for_tasks(const loop_policy& how, std::size_t num_tasks, Task&& task) {
  using task_type = std::remove_reference_t<Task>;
  run_tasks(how,
            num_tasks,
            {.object = const_cast<void*>(static_cast<const void*>(std::addressof(task))),
             .call = [](void* object, std::size_t i) { (*static_cast<task_type*>(object))(i); }});
}

/// The first index of part `i` of `num_parts` almost equal ones of [0, n).
[[nodiscard]] constexpr std::size_t part_begin(std::size_t n,
                                               std::size_t num_parts,
                                               std::size_t i) noexcept {
  return (n / num_parts) * i + std::min(i, n % num_parts);
}

}  // namespace weft::algorithms::detail
