// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach std_thread: a std::thread per piece; each thread stores its sum in its own place.
#include <atomic>
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

/// Polls until `ball` is `wanted`. Yields, since the other thread may need this CPU.
void await(const std::atomic<std::uint64_t>& ball, std::uint64_t wanted) {
  constexpr std::uint64_t looks_before_yield = 100'000;
  // acquire: pairs with the release of the thread that stored it
  for (std::uint64_t looks = 1; ball.load(std::memory_order_acquire) != wanted; ++looks) {
    if (looks % looks_before_yield == 0) {
      std::this_thread::yield();
    }
  }
}

/// A word that two threads write alternately, each as soon as it sees the other's value.
std::uint64_t round_trip(const request& what) {
  alignas(128) std::atomic<std::uint64_t> ball{0};
  std::thread other([&ball, size = what.size] {
    for (std::uint64_t i = 0; i < size; ++i) {
      await(ball, 2 * i + 1);
      ball.store(2 * i + 2, std::memory_order_release);
    }
  });
  for (std::uint64_t i = 0; i < what.size; ++i) {
    ball.store(2 * i + 1, std::memory_order_release);
    await(ball, 2 * i + 2);
  }
  other.join();
  return ball.load(std::memory_order_relaxed) / 2;
}

operations offered() {
  operations rows;
  bodies::offer_series<std_threads>(rows);
  bodies::offer_units<std_threads>(rows);
  rows.round_trip = round_trip;
  return rows;
}

// The number of threads that a process may start at once.
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
