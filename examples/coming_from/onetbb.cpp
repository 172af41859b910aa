// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneTBB and weft side by side, as docs/coming_from.md shows them.
#include <cstddef>
#include <cstdio>
#include <vector>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <weft/tasks/fork_join.hpp>
#include <weft/tasks/parallel_for.hpp>

namespace {

namespace with_onetbb {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  long x = 0;
  long y = 0;
  tbb::parallel_invoke([&] { x = fib(n - 1); }, [&] { y = fib(n - 2); });
  return x + y;
}

void fill(std::vector<long>& squares) {
  tbb::parallel_for(std::size_t{0}, squares.size(), [&](std::size_t i) {
    squares[i] = static_cast<long>(i * i);
  });
}

}  // namespace with_onetbb

namespace with_weft {

long fib(int n) {
  if (n < 2) {
    return n;
  }
  auto [x, y] = weft::fork_join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
  return x + y;
}

void fill(std::vector<long>& squares) {
  weft::parallel_for(squares.size(), [&](std::size_t i) { squares[i] = static_cast<long>(i * i); });
}

}  // namespace with_weft

}  // namespace

int main() {
  std::vector<long> theirs(1000);
  std::vector<long> ours(1000);
  with_onetbb::fill(theirs);
  with_weft::fill(ours);

  const bool is_same = theirs == ours && with_onetbb::fib(20) == with_weft::fib(20);
  std::puts(is_same ? "the same results" : "different results");
  return is_same ? 0 : 1;
}
