// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_task_group: forks and regions by weft::task_group.
#include <cstddef>

#include "weft/tasks/task_group.hpp"

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct weft_task_group_runtime {
  struct starts_regions_in_tasks;

  static void enter(const auto& body) { weft_runtime::enter(body); }

  static void take_main_in(int threads) { weft_runtime::take_main_in(threads); }

  static void fork2(const auto& first, const auto& second) {
    task_group group;
    group.run([&] { first(); });
    second();
    group.wait();
  }

  static void fork_many(std::size_t count, const auto& body) {
    task_group group;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      group.run([&body, i] { body(i); });
    }
    body(count - 1);
    group.wait();
  }

  static void region(int threads, const auto& body) {
    fork_many(static_cast<std::size_t>(threads), [&](std::size_t i) { body(static_cast<int>(i)); });
  }
};

}  // namespace

const backend& linked_backend() {
  static const backend weft_task_group{
      .name = "weft_task_group",
      .offered = bodies::offered_by<weft_task_group_runtime>(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_workers};
  return weft_task_group;
}

}  // namespace weft::lab::tasks
