// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of a runtime: one function per problem, null if the runtime does not offer it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/tasks/uts_tree.hpp"

namespace weft::lab::tasks {

/// One call of a problem whose answer is one number.
struct request {
  std::uint64_t size = 1;    // the problem's n
  int threads = 1;           // the number of threads of the runtime
  std::uint64_t option = 0;  // the value of the problem's only parameter
  /// For problems that time operations inside the runtime: it is entered once for this many
  /// successive calls, whose answers are summed.
  std::uint64_t calls = 1;
};

using numeric_operation = std::uint64_t (*)(const request& what);

/// The problems of a runtime. Every function is called from outside the runtime, by one thread.
struct operations {
  numeric_operation fib = nullptr;
  numeric_operation skynet = nullptr;
  numeric_operation nqueens = nullptr;
  numeric_operation grain = nullptr;
  numeric_operation empty_fork = nullptr;
  numeric_operation async_get = nullptr;
  numeric_operation then_chain = nullptr;
  numeric_operation when_all = nullptr;
  numeric_operation suspend_resume = nullptr;
  numeric_operation mutex = nullptr;
  numeric_operation channel = nullptr;
  numeric_operation yield = nullptr;
  numeric_operation wake = nullptr;
  numeric_operation region = nullptr;
  numeric_operation fork_from_main = nullptr;
  numeric_operation region_from_main = nullptr;
  /// Integrates `integrand` from 0 to `end`.
  double (*integrate)(double end) = nullptr;
  tree_counts (*uts)(const uts_tree& shape) = nullptr;
  /// c = a * b for row-major n x n matrices that do not overlap; n is a power of two.
  void (*matmul)(const double* a, const double* b, double* c, std::size_t n) = nullptr;
  /// Sorts [first, last); `scratch` has room for the same number of elements.
  void (*sort)(double* first, double* last, double* scratch) = nullptr;
};

}  // namespace weft::lab::tasks
