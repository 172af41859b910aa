// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Trees of computations of a known length, on the real runtime.
#include "lab/scaling/simulated/real_runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "weft/base/error.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "lab/scaling/simulated/model_options.hpp"
#include "lab/scaling/simulated/workload.hpp"
#include "lab/tasks/bodies/busy_work.hpp"

namespace weft::lab::scaling::simulated {
namespace {

using clock = std::chrono::steady_clock;

constexpr nanoseconds measured_for = std::chrono::milliseconds(1500);
constexpr int least_calls = 5;

template <class F>
nanoseconds time_of(F call) {
  const auto begin = clock::now();
  call();
  return clock::now() - begin;
}

/// Returns the steps of `busy_work` that take a microsecond.
double steps_per_us() {
  constexpr std::uint64_t steps = 100'000;
  nanoseconds shortest = nanoseconds::max();
  for (int i = 0; i < 100; ++i) {
    shortest =
        std::min(shortest, time_of([&] {
                   static_cast<void>(lab::tasks::busy_work(static_cast<std::uint64_t>(i), steps));
                 }));
  }
  return 1000.0 * static_cast<double>(steps) / static_cast<double>(shortest.count());
}

struct real_program {
  const workload& calls;
  std::uint64_t steps;  // of a body

  // NOLINTNEXTLINE(misc-no-recursion): a tree
  void run(const node& what) const {
    if (calls.body(what).count() != 0) {
      static_cast<void>(lab::tasks::busy_work(what.num_leaves, steps));
    }
    const std::uint32_t num_children = calls.num_children(what);
    if (num_children == 2) {
      fork_join([&] { run(calls.child(what, 0)); }, [&] { run(calls.child(what, 1)); });
    } else if (num_children != 0) {
      parallel_for(num_children,
                   [&](std::size_t i) { run(calls.child(what, static_cast<std::uint32_t>(i))); },
                   {.grain = 1});
    }
  }
};

}  // namespace

nanoseconds shortest_real_call(const model_options& options) {
  const workload calls(options.work, options.num_workers);
  if (calls.is_flat()) {
    throw error("the real runtime runs tree and uts only: give --workload tree or uts");
  }
  const double body_us = static_cast<double>(options.work.body.count()) / 1000.0;
  const real_program program{.calls = calls,
                             .steps = static_cast<std::uint64_t>(body_us * steps_per_us())};
  runtime_options wanted;
  wanted.workers = static_cast<int>(options.num_workers);
  runtime workers(wanted);
  nanoseconds shortest = nanoseconds::max();
  workers.run([&] {
    const auto end = clock::now() + measured_for;
    for (int i = 0; i < least_calls || clock::now() < end; ++i) {
      if (!options.starts_searching) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // longer than a search
      }
      shortest = std::min(shortest, time_of([&] { program.run(calls.root()); }));
    }
  });
  return shortest;
}

}  // namespace weft::lab::scaling::simulated
