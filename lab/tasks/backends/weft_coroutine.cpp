// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime weft_coroutine: lazy coroutine tasks, forked by co_await.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/backends/weft_coroutine_bodies.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks {
namespace {

template <class Result>
Result result_of(weft::task<Result> root) {
  return workers->run([&root] { return sync_wait(std::move(root)); });
}

operations offered() {
  namespace bodies = coroutine_bodies;
  operations rows;
  rows.fib = [](const request& what) { return result_of(bodies::fib(what.size)); };
  rows.skynet = [](const request& what) { return result_of(bodies::skynet(0, what.size)); };
  rows.nqueens = [](const request& what) { return result_of(bodies::nqueens({}, what.size)); };
  rows.grain = [](const request& what) {
    return result_of(bodies::grain(0, what.size, what.option));
  };
  rows.integrate = [](double end) { return result_of(bodies::integrate(trapezoid::below(end))); };
  rows.uts = [](const uts_tree& shape) {
    return result_of(bodies::uts(&shape, uts_node::root(shape)));
  };
  rows.matmul = [](const double* a, const double* b, double* c, std::size_t n) {
    std::fill(c, c + n * n, 0.0);
    result_of(bodies::matmul({.a = a, .b = b, .c = c, .n = n, .stride = n}));
  };
  rows.sort = [](double* first, double* last, double* scratch) {
    result_of(bodies::sort(first, scratch, static_cast<std::size_t>(last - first)));
  };
  rows.empty_fork = [](const request& what) { return result_of(bodies::empty_fork(what.size)); };
  rows.async_get = [](const request& what) { return result_of(bodies::async_get(what.size)); };
  rows.wake = [](const request& what) { return result_of(bodies::wake(what.size)); };
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_coroutine{
      .name = "weft_coroutine",
      .offered = offered(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_workers};
  return weft_coroutine;
}

}  // namespace weft::lab::tasks
