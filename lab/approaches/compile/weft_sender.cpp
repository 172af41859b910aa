// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of weft's senders, waited for.
#include <weft/execution/scheduler.hpp>
#include <weft/execution/sync_wait.hpp>
#include <weft/execution/then.hpp>
#include <weft/tasks/runtime.hpp>

namespace ex = weft::execution;

int main() {
  const auto answer = ex::sync_wait(ex::schedule(weft::default_runtime().get_scheduler()) |
                                    ex::then([] { return 42; }));
  return answer && std::get<0>(*answer) == 42 ? 0 : 1;
}
