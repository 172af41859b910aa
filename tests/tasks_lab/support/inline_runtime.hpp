// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simplest runtime that meets every concept, and cells small enough for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/bodies/offered.hpp"
#include "lab/tasks/suite.hpp"
#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::tasks::testing {

/// Forks are threads, so that tasks may wait for each other; fork_many calls one after the other.
struct inline_runtime {
  static void enter(const auto& body) { body(); }

  static void fork2(const auto& first, const auto& second) {
    std::thread forked([&] { first(); });
    second();
    forked.join();
  }

  static void fork_many(std::size_t count, const auto& body) {
    for (std::size_t i = 0; i < count; ++i) {
      body(i);
    }
  }

  static void region(int threads, const auto& body) {
    for (int i = 0; i < threads; ++i) {
      body(i);
    }
  }
};

/// All operations right, all by calls.
struct calling_runtime : inline_runtime {
  static void fork2(const auto& first, const auto& second) {
    first();
    second();
  }
};

inline operations right_answers() {
  operations rows = bodies::offered_by<calling_runtime>();
  rows.wake = bodies::wake<inline_runtime>;
  const numeric_operation counts = [](const request& what) { return what.calls * what.size; };
  const numeric_operation sums = [](const request& what) {
    return what.calls * (what.size * (what.size - 1) / 2);
  };
  rows.mutex = rows.yield = rows.then_chain = counts;
  rows.async_get = rows.when_all = rows.channel = sums;
  rows.uts = [](const uts_tree& shape) { return shape.published; };
  rows.suspend_resume = [](const request& what) {
    return what.calls * (what.size + what.size % 2);
  };
  return rows;
}

inline backend backend_with(const operations& rows) {
  return {.name = "planted",
          .offered = rows,
          .libraries = [] { return std::map<std::string, std::string>{}; },
          .with_threads = [](int, void (*body)(void*), void* context) { body(context); }};
}

/// T1 with fewer levels and T3 with fewer subtrees, for runtimes that are not optimised.
inline std::vector<uts_tree> small_uts_trees() {
  uts_tree geometric = uts_trees()[0];
  geometric.depth_limit = 6;
  geometric.published = {.nodes = 16000, .leaves = 12839, .depth = 6};
  uts_tree binomial = uts_trees()[1];
  binomial.root_children = 20;
  binomial.published = {.nodes = 6213, .leaves = 5438, .depth = 67};
  return {geometric, binomial};
}

/// A small cell of every problem.
inline std::vector<cell> small_cells(int threads) {
  const std::vector<std::pair<std::string, std::size_t>> sizes{
      {"async_get", 10},     {"channel", 100},      {"empty_fork", 10},
      {"fib", 12},           {"fork_from_main", 3}, {"region_from_main", 3},
      {"grain", 10},         {"idle", 1},           {"integrate", 1},
      {"matmul", 128},       {"mutex", 100},        {"nqueens", 7},
      {"region", 5},         {"skynet", 1000},      {"sort", 20000},
      {"suspend_resume", 9}, {"then_chain", 10},    {"uts", 1},
      {"wake_parked", 1},    {"wake_searching", 3}, {"when_all", 10},
      {"yield", 10}};
  std::vector<cell> cells;
  for (const auto& [problem, size] : sizes) {
    cell& made = cells.emplace_back();
    made.problem = problem;
    made.size = size;
    made.threads = threads;
  }
  return cells;
}

inline cell small_cell(const std::string& problem, int threads = 2) {
  for (const cell& each : small_cells(threads)) {
    if (each.problem == problem) {
      return each;
    }
  }
  return {};
}

/// What the checker says of the answer, or the message of the skip.
inline std::string mismatch_of(const cell& what, const backend& with) {
  const task_suite suite(with);
  suite.check(what);
  auto made = suite.make(what);
  if (const skip* cannot = std::get_if<skip>(&made)) {
    return cannot->message;
  }
  return std::get<std::unique_ptr<experiment>>(made)->verify().mismatch;
}

}  // namespace weft::lab::tasks::testing
