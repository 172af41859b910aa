// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime std_async: std::async with its own thread for every task.
#include <cstddef>
#include <cstdint>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"

namespace weft::lab::tasks {
namespace {

struct std_async_runtime {
  using mutex = std::mutex;
  using semaphore = std::counting_semaphore<>;

  static void enter(const auto& body) { body(); }

  static auto async(auto body) { return std::async(std::launch::async, std::move(body)); }

  static void fork2(const auto& first, const auto& second) {
    const auto forked = async([&] { first(); });
    second();
    forked.wait();
  }

  static void fork_many(std::size_t count, const auto& body) {
    std::vector<std::future<void>> forked;
    forked.reserve(count - 1);
    for (std::size_t i = 0; i + 1 < count; ++i) {
      forked.push_back(async([&body, i] { body(i); }));
    }
    body(count - 1);
    for (const std::future<void>& each : forked) {
      each.wait();
    }
  }

  static void region(int threads, const auto& body) {
    fork_many(static_cast<std::size_t>(threads), [&](std::size_t i) { body(static_cast<int>(i)); });
  }

  static void yield() { std::this_thread::yield(); }
};

// A thread per task: a few thousand live threads reach a process's limit.
constexpr std::uint64_t max_threads_started = 20'000;

}  // namespace

const backend& linked_backend() {
  static const backend std_async{
      .name = "std_async",
      .offered = bodies::offered_by<std_async_runtime>(),
      .limit = {.max_tasks = max_threads_started,
                .reason = "every task is a thread of the operating system"},
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return std_async;
}

}  // namespace weft::lab::tasks
