// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of stdexec's senders, waited for.
#include <exec/static_thread_pool.hpp>
#include <stdexec/execution.hpp>

int main() {
  exec::static_thread_pool pool(2);
  auto [answer] =
      stdexec::sync_wait(stdexec::schedule(pool.get_scheduler()) | stdexec::then([] { return 42; }))
          .value();
  return answer == 42 ? 0 : 1;
}
