// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of HPX's senders, waited for.
#include <hpx/execution.hpp>

namespace ex = hpx::execution::experimental;

int main() {
  auto [answer] = *hpx::this_thread::experimental::sync_wait(
      ex::schedule(ex::thread_pool_scheduler{}) | ex::then([] { return 42; }));
  return answer == 42 ? 0 : 1;
}
