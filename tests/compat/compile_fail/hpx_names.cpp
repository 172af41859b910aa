// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of HPX that do not compile with weft, and what the compiler has to say of each.
// IWYU pragma: begin_keep: for what does not compile
#include <hpx/execution.hpp>
#include <hpx/modules/runtime_local.hpp>
#include <hpx/runtime.hpp>
#include <hpx/thread.hpp>
// IWYU pragma: end_keep

#if defined(MISTAKES)
#include <hpx/serialization.hpp>  // expect: weft::hpx_compat has no serialization

void call() {
  const hpx::execution::parallel_executor urgent(hpx::threads::thread_priority::high, 1);
  // expect: give the priority alone
  const hpx::execution::parallel_executor deep(hpx::threads::thread_stacksize::large);
  // expect: run with --weft:stack-size=8MiB
  hpx::threads::enumerate_threads([](hpx::threads::thread_id_type) { return true; });
  // expect: weft does not list its tasks
  hpx::this_thread::suspend(hpx::threads::thread_schedule_state::suspended);
  // expect: weft has no suspension by hand
  hpx::threads::get_thread_count();
  // expect: weft does not count its tasks
  hpx::execution::experimental::with_priority(deep, hpx::threads::thread_priority::high);
  // expect: weft's tasks have no priorities
  hpx::local::termination_detection();
  // expect: a task of weft does not wait for all others
  hpx::util::interval_timer timer([] { return true; }, 1000);
  // expect: weft calls nothing at intervals
  hpx::find_here();
  // expect: weft::hpx_compat runs in one process, without localities
}
#endif
