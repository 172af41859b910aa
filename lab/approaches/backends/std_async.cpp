// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach std_async: std::async with the policy `async`, and std::future::get in order.
#include <cstddef>
#include <cstdint>
#include <future>
#include <utility>
#include <vector>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {
namespace {

struct std_futures {
  // Without a policy, the library may defer every piece to the `get` that waits for it.
  static auto async(auto body) { return std::async(std::launch::async, std::move(body)); }

  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<std::future<double>> sums;
    sums.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      sums.push_back(async([&piece, i] { return piece(i); }));
    }
    double sum = 0;
    for (std::future<double>& each : sums) {
      sum += each.get();
    }
    return sum;
  }
  static void enter(const auto& body) { body(); }
  static void spread(std::size_t count, const auto& body) {
    std::vector<std::future<void>> tasks;
    tasks.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      tasks.push_back(async([&body, i] { body(i); }));
    }
    for (std::future<void>& each : tasks) {
      each.get();
    }
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<std_futures>(rows);
  bodies::offer_units<std_futures>(rows);
  return rows;
}

// The number of threads that a process may start at once.
constexpr std::uint64_t max_threads_started = 20'000;

}  // namespace

const backend& linked_backend() {
  static const backend std_async{
      .name = "std_async",
      .offered = offered(),
      .limit = {.max_tasks = max_threads_started,
                .reason = "every task is a thread of the operating system"},
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return std_async;
}

}  // namespace weft::lab::approaches
