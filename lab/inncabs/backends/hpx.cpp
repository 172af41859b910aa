// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime hpx: the study's own, futures whose waits suspend.
#include <mutex>
#include <optional>
#include <utility>

#include <hpx/future.hpp>
#include <hpx/mutex.hpp>
#include <hpx/runtime.hpp>
#include <hpx/thread.hpp>

#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/backends/offered.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/stl/backends/hpx_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::inncabs {
namespace {

struct hpx_runtime {
  template <class T>
  using future = hpx::future<T>;
  using launch = hpx::launch;
  using mutex = hpx::mutex;

  static std::optional<launch> launch_of(launch_policy which) {
    switch (which) {
      case launch_policy::async:
        return launch::async;
      case launch_policy::deferred:
        return launch::deferred;
      case launch_policy::fork:
        return launch::fork;
      case launch_policy::optional:
        return launch::all;
    }
    return std::nullopt;
  }

  static void enter(const auto& body) {
    hpx::run_as_hpx_thread([&] { body(); });
  }
  static auto async(launch how, auto call) { return hpx::async(how, std::move(call)); }
  static void lock(auto&... mutexes) { std::lock(mutexes...); }
};

void with_threads(int threads, void (*body)(void* context), void* context) {
  // HPX itself advises this: a guard page per stack exhausts the process's mappings.
  stl::with_hpx_threads(threads, "hpx.stacks.use_guard_pages=0", [=] { body(context); });
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_backend{
      .name = "hpx",
      .bodies = offered_by<hpx_runtime>(),
      .has_policy = has_policy<hpx_runtime>,
      .limit = {.max_tasks = stl::max_suspended_hpx_tasks(),
                .reason = "every task that waits keeps a stack of its own, and memory ends"},
      .libraries = [] { return stl::library_versions{stl::hpx_library()}; },
      .with_threads = with_threads};
  return hpx_backend;
}

}  // namespace weft::lab::inncabs
