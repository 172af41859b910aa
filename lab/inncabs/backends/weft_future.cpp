// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_future: the direct counterpart of std::async, by weft::async and weft::future.
#include <optional>
#include <utility>

#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/lock.hpp"
#include "weft/tasks/mutex.hpp"

#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/backends/offered.hpp"
#include "lab/inncabs/backends/weft_sample_counters.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"

namespace weft::lab::inncabs {
namespace {

struct weft_future_runtime {
  template <class T>
  using future = weft::future<T>;
  using launch = weft::launch;
  using mutex = weft::mutex;

  static std::optional<launch> launch_of(launch_policy which) {
    switch (which) {
      case launch_policy::async:
      // the same: a task that waits for another one that has not begun runs it
      case launch_policy::optional:
        return launch::async;
      case launch_policy::deferred:
        return launch::deferred;
      case launch_policy::fork:
        return launch::fork;
    }
    return std::nullopt;
  }

  static void enter(const auto& body) { tasks::weft_runtime::enter(body); }
  static auto async(launch how, auto call) { return weft::async(how, std::move(call)); }
  static void lock(auto&... mutexes) { weft::lock(mutexes...); }
};

}  // namespace

const backend& linked_backend() {
  static const backend weft_future{
      .name = "weft_future",
      .bodies = offered_by<weft_future_runtime>(),
      .has_policy = has_policy<weft_future_runtime>,
      .sample_counters = weft_sample_counters,
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = tasks::with_workers};
  return weft_future;
}

}  // namespace weft::lab::inncabs
