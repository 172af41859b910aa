// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::execution: a sender that runs on a worker.
#include <tuple>

#include <weft/execution.hpp>

namespace ex = weft::execution;

int main() {
  auto work = ex::schedule(ex::get_parallel_scheduler()) | ex::then([] { return 42; });
  const auto answer = ex::sync_wait(work);
  return answer && std::get<0>(*answer) == 42 ? 0 : 1;
}
