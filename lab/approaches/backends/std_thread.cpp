// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach std_thread: a std::thread per piece, its sum left in a place of its own.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {
namespace {

struct std_threads {
  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<double> sums(count);
    spread(count, [&](std::size_t i) { sums[i] = piece(i); });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  static void enter(const auto& body) { body(); }
  static void spread(std::size_t count, const auto& body) {
    std::vector<std::thread> threads;
    threads.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&body, i] { body(i); });
    }
    for (std::thread& each : threads) {
      each.join();
    }
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<std_threads>(rows);
  bodies::offer_units<std_threads>(rows);
  return rows;
}

// What a process may start at once.
constexpr std::uint64_t max_threads_started = 20'000;

}  // namespace

const backend& linked_backend() {
  static const backend std_thread{
      .name = "std_thread",
      .offered = offered(),
      .limit = {.max_tasks = max_threads_started,
                .reason = "every task is a thread of the operating system"},
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return std_thread;
}

}  // namespace weft::lab::approaches
