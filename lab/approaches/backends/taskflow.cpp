// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach taskflow: a graph of tasks, built and then run by an executor.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {
namespace {

std::unique_ptr<tf::Executor> executor;

struct taskflow_graphs {
  // Called from outside the pool: a worker that waits for a std::future could not run tasks.
  static auto async(auto body) { return executor->async(std::move(body)); }

  static double sum_of(std::size_t count, const auto& piece) {
    std::vector<double> sums(count);
    spread(count, [&](std::size_t i) { sums[i] = piece(i); });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  static void enter(const auto& body) { body(); }
  static void spread(std::size_t count, const auto& body) {
    tf::Taskflow graph;
    for (std::size_t i = 0; i < count; ++i) {
      graph.emplace([&body, i] { body(i); });
    }
    executor->run(graph).wait();
  }
  static void for_each(std::uint32_t* first, std::uint32_t* last, const auto& visit) {
    tf::Taskflow graph;
    graph.for_each(first, last, visit);
    executor->run(graph).wait();
  }
};

/// A chain: every node has one predecessor.
std::uint64_t chain(const request& what) {
  std::uint64_t value = 0;
  tf::AsyncTask last = executor->silent_dependent_async([] {});
  for (std::uint64_t i = 0; i < what.size; ++i) {
    last = executor->silent_dependent_async([&value] { ++value; }, last);
  }
  executor->wait_for_all();
  return value;
}

operations offered() {
  operations rows;
  bodies::offer_series<taskflow_graphs>(rows);
  bodies::offer_units<taskflow_graphs>(rows);
  rows.dataflow = chain;
  return rows;
}

void with_executor(int threads, void (*body)(void* context), void* context) {
  executor = std::make_unique<tf::Executor>(static_cast<std::size_t>(threads));
  body(context);
  executor.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend taskflow{.name = "taskflow",
                                .offered = offered(),
                                .libraries =
                                    [] {
                                      return stl::library_versions{stl::standard_library(),
                                                                   {"Taskflow", tf::version()}};
                                    },
                                .with_threads = with_executor};
  return taskflow;
}

}  // namespace weft::lab::approaches
