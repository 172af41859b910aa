// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursion that nothing keeps a compiler from changing: what the check of the baseline must
// find.
#include <cstdint>

namespace weft::lab::tasks::testing {
namespace {

[[gnu::noinline]] std::uint64_t unguarded_fib(std::uint64_t n) {
  return n < 2 ? n : unguarded_fib(n - 1) + unguarded_fib(n - 2);
}

}  // namespace

std::uint64_t fib_of_many(std::uint64_t n);
std::uint64_t fib_of_many(std::uint64_t n) { return unguarded_fib(n); }

}  // namespace weft::lab::tasks::testing
