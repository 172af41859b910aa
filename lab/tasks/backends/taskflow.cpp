// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime taskflow: task groups of an executor.
#include <cstddef>
#include <memory>

#include <taskflow/taskflow.hpp>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

std::unique_ptr<tf::Executor> executor;

struct taskflow_runtime {
  static void enter(const auto& body) {
    executor->async([&] { body(); }).get();
  }

  static void fork2(const auto& first, const auto& second) {
    tf::TaskGroup group = executor->task_group();
    group.silent_async([&] { first(); });
    second();
    group.corun();
  }

  static void fork_many(std::size_t count, const auto& body) {
    tf::TaskGroup group = executor->task_group();
    for (std::size_t i = 0; i + 1 < count; ++i) {
      group.silent_async([&body, i] { body(i); });
    }
    body(count - 1);
    group.corun();
  }
};

void with_executor(int threads, void (*body)(void* context), void* context) {
  executor = std::make_unique<tf::Executor>(static_cast<std::size_t>(threads));
  body(context);
  executor.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend taskflow{.name = "taskflow",
                                .offered = bodies::offered_by<taskflow_runtime>(),
                                .libraries =
                                    [] {
                                      return stl::library_versions{stl::standard_library(),
                                                                   {"Taskflow", tf::version()}};
                                    },
                                .with_threads = with_executor};
  return taskflow;
}

}  // namespace weft::lab::tasks
