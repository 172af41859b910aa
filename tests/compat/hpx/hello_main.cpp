// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// main as a task.
#include <iostream>

#include <hpx/future.hpp>
#include <hpx/hpx_main.hpp>  // IWYU pragma: keep: it makes main a task
#include <hpx/runtime.hpp>

int main(int argc, char* /*argv*/[]) {
  const bool is_on_worker = hpx::get_worker_thread_num() < hpx::get_os_thread_count();
  const int more = hpx::async([] { return 0; }).get();
  std::cout << (is_on_worker ? "worker " : "thread ") << argc + more << " arguments\n";
}
