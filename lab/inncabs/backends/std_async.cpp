// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime std_async: std::async, std::future and std::mutex, unchanged.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/mman.h>

#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/backends/offered.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::inncabs {
namespace {

/// In memory that this process shares with its children.
std::atomic<std::uint64_t>& make_shared_counter() {
  void* page = mmap(nullptr,
                    sizeof(std::atomic<std::uint64_t>),
                    PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS,
                    -1,
                    0);
  if (page == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "mmap of a page");
  }
  return *new (page) std::atomic<std::uint64_t>(0);
}

std::atomic<std::uint64_t>& tasks_started() {
  static std::atomic<std::uint64_t>& counter = make_shared_counter();
  return counter;
}

struct std_async_runtime {
  template <class T>
  using future = std::future<T>;
  using launch = std::launch;
  using mutex = std::mutex;

  static std::optional<launch> launch_of(launch_policy which) {
    switch (which) {
      case launch_policy::async:
        return launch::async;
      case launch_policy::deferred:
        return launch::deferred;
      case launch_policy::optional:
        return launch::async | launch::deferred;
      case launch_policy::fork:
        break;
    }
    return std::nullopt;
  }

  static void enter(const auto& body) { body(); }

  static auto async(launch how, auto call) {
    auto started = std::async(how, std::move(call));
    tasks_started().fetch_add(1, std::memory_order_relaxed);
    return started;
  }

  static void lock(auto&... mutexes) { std::lock(mutexes...); }
};

// A thread per task: a few tens of thousands of live threads reach a process's limit.
constexpr std::uint64_t surely_survived = 20'000;

}  // namespace

const backend& linked_backend() {
  static const backend std_async{
      .name = "std_async",
      .bodies = offered_by<std_async_runtime>(),
      .has_policy = has_policy<std_async_runtime>,
      .limit = {.max_tasks = surely_survived,
                .reason = "every task is a thread of the operating system"},
      .tasks_started = &tasks_started(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return std_async;
}

}  // namespace weft::lab::inncabs
