// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fib with one fork per call.
#pragma once

#include <cstdint>

#include "lab/inncabs/fib/fib.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::fib {

template <groups_runtime Runtime>
std::uint64_t by_forks(std::uint64_t n) {
  if (n < 2) {
    return n;
  }
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  Runtime::fork2([&left, n] { left = by_forks<Runtime>(n - 1); },
                 [&right, n] { right = by_forks<Runtime>(n - 2); });
  return left + right;
}

template <groups_runtime Runtime>
result run_groups(const input& of) {
  return by_forks<Runtime>(of.n);
}

}  // namespace weft::lab::inncabs::fib
