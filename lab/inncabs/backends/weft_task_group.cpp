// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_task_group: groups by weft::task_group, pairs by weft::fork_join.
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/lock.hpp"
#include "weft/tasks/task_group.hpp"

#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/backends/offered.hpp"
#include "lab/inncabs/backends/weft_sample_counters.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"

namespace weft::lab::inncabs {
namespace {

struct weft_task_group_runtime {
  using group = weft::task_group;
  using mutex = weft::mutex;

  static void enter(const auto& body) { tasks::weft_runtime::enter(body); }

  static void fork2(auto&& first, auto&& second) {
    weft::fork_join([&] { first(); }, [&] { second(); });
  }

  static void lock(auto&... mutexes) { weft::lock(mutexes...); }
};

}  // namespace

const backend& linked_backend() {
  static const backend weft_task_group{
      .name = "weft_task_group",
      .bodies = offered_by<weft_task_group_runtime>(),
      .has_policy = has_policy<weft_task_group_runtime>,
      .sample_counters = weft_sample_counters,
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = tasks::with_workers};
  return weft_task_group;
}

}  // namespace weft::lab::inncabs
