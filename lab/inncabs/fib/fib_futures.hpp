// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem fib with two futures per call.
#pragma once

#include <cstdint>

#include "lab/inncabs/fib/fib.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::fib {

template <futures_runtime Runtime>
std::uint64_t by_futures(std::uint64_t n, typename Runtime::launch how) {
  if (n < 2) {
    return n;
  }
  auto first = Runtime::async(how, [n, how] { return by_futures<Runtime>(n - 1, how); });
  auto second = Runtime::async(how, [n, how] { return by_futures<Runtime>(n - 2, how); });
  const std::uint64_t left = first.get();
  return left + second.get();
}

template <futures_runtime Runtime>
result run_futures(const input& of, typename Runtime::launch how) {
  return by_futures<Runtime>(of.n, how);
}

}  // namespace weft::lab::inncabs::fib
