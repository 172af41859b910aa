// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime libfork: coroutines on its lazy pool, whose idle workers sleep.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <libfork.hpp>

#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/backends/libfork_bodies.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks {
namespace {

std::unique_ptr<lf::lazy_pool> pool;

template <class Function, class... Arguments>
auto wait_for(Function function, Arguments... arguments) {
  return lf::sync_wait(*pool, function, arguments...);
}

operations offered() {
  namespace bodies = libfork_bodies;
  operations rows;
  rows.fib = [](const request& what) { return wait_for(bodies::fib, what.size); };
  rows.skynet = [](const request& what) {
    return wait_for(bodies::skynet, std::uint64_t{0}, what.size);
  };
  rows.nqueens = [](const request& what) {
    return wait_for(bodies::nqueens, queens_board{}, std::size_t{what.size});
  };
  rows.grain = [](const request& what) {
    return wait_for(bodies::grain, std::uint64_t{0}, what.size, what.option);
  };
  rows.integrate = [](double end) { return wait_for(bodies::integrate, trapezoid::below(end)); };
  rows.uts = [](const uts_tree& shape) {
    return wait_for(bodies::uts, &shape, uts_node::root(shape));
  };
  rows.matmul = [](const double* a, const double* b, double* c, std::size_t n) {
    std::fill(c, c + n * n, 0.0);
    wait_for(bodies::matmul, block_product{.a = a, .b = b, .c = c, .n = n, .stride = n});
  };
  rows.sort = [](double* first, double* last, double* scratch) {
    wait_for(bodies::sort, first, scratch, static_cast<std::size_t>(last - first));
  };
  rows.empty_fork = [](const request& what) {
    return wait_for(bodies::empty_fork, what.size * what.calls);
  };
  rows.fork_from_main = [](const request& what) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < what.size; ++i) {
      sum += wait_for(bodies::empty_fork, std::uint64_t{1});
    }
    return sum;
  };
  rows.wake = [](const request& what) { return wait_for(bodies::wake, what.size * what.calls); };
  return rows;
}

void with_pool(int threads, void (*body)(void* context), void* context) {
  pool = std::make_unique<lf::lazy_pool>(static_cast<std::size_t>(threads));
  body(context);
  pool.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend libfork{
      .name = "libfork",
      .offered = offered(),
      .libraries = [] { return stl::library_versions{stl::standard_library()}; },
      .with_threads = with_pool};
  return libfork;
}

}  // namespace weft::lab::tasks
