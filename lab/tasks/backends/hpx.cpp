// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime hpx: futures, and threads that suspend while they wait.
#include <cstddef>
#include <utility>
#include <vector>

#include <hpx/algorithm.hpp>
#include <hpx/future.hpp>
#include <hpx/mutex.hpp>
#include <hpx/runtime.hpp>
#include <hpx/semaphore.hpp>
#include <hpx/thread.hpp>

#include "lab/stl/backends/hpx_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct hpx_runtime {
  struct has_when_all;
  struct starts_regions_in_tasks;
  using mutex = hpx::mutex;
  using semaphore = hpx::counting_semaphore<>;

  static void enter(const auto& body) {
    hpx::run_as_hpx_thread([&] { body(); });
  }

  static auto async(auto body) { return hpx::async(std::move(body)); }

  static auto when_all(auto parts) { return hpx::when_all(std::move(parts)); }

  static void fork2(const auto& first, const auto& second) {
    hpx::future<void> forked = hpx::async([&] { first(); });
    second();
    forked.get();
  }

  static void fork_many(std::size_t count, const auto& body) {
    std::vector<hpx::future<void>> forked;
    forked.reserve(count - 1);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      forked.push_back(hpx::async([&body, i] { body(i); }));
    }
    body(count - 1);
    hpx::wait_all(forked);
  }

  static void region(int threads, const auto& body) {
    hpx::experimental::for_loop(hpx::execution::par, 0, threads, [&](int i) { body(i); });
  }

  static void yield() { hpx::this_thread::yield(); }
};

void with_threads(int threads, void (*body)(void* context), void* context) {
  // HPX itself advises this: a guard page per stack exhausts the process's mappings.
  stl::with_hpx_threads(threads, "hpx.stacks.use_guard_pages=0", [=] { body(context); });
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_backend{
      .name = "hpx",
      .offered = bodies::offered_by<hpx_runtime>(),
      .limit = {.max_tasks = stl::max_suspended_hpx_tasks(),
                .reason = "every task that waits keeps a stack of its own, and memory ends"},
      .libraries = [] { return stl::library_versions{stl::hpx_library()}; },
      .with_threads = with_threads};
  return hpx_backend;
}

}  // namespace weft::lab::tasks
