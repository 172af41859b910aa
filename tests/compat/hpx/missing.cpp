// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of HPX that do not compile with weft: one for each CASE_ that the test defines.
#include <hpx/execution.hpp>
#include <hpx/modules/runtime_local.hpp>
#include <hpx/runtime.hpp>
#include <hpx/thread.hpp>

#if defined(CASE_serialization)
#include <hpx/serialization.hpp>
#endif

int main() {
#if defined(CASE_priority)
  const hpx::execution::parallel_executor where(hpx::threads::thread_priority::high);
#elif defined(CASE_stack_size)
  const hpx::execution::parallel_executor where(hpx::threads::thread_stacksize::large);
#elif defined(CASE_enumerate)
  hpx::threads::enumerate_threads([](hpx::threads::thread_id_type) { return true; });
#elif defined(CASE_suspend)
  hpx::this_thread::suspend(1);
#elif defined(CASE_termination)
  hpx::local::termination_detection();
#elif defined(CASE_interval)
  hpx::util::interval_timer timer([] { return true; }, 1000);
#elif defined(CASE_localities)
  hpx::find_here();
#endif
}
