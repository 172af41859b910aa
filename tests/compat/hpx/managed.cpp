// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A runtime that an object begins and ends, and a thread of the program's that uses it.
#include <cstdio>
#include <thread>

#include <hpx/future.hpp>
#include <hpx/init.hpp>
#include <hpx/modules/runtime_local.hpp>

namespace {

/// Begins and ends without a call of `init`.
struct whole_program {
  hpx::manage_runtime manager;
  bool is_started = false;

  whole_program() {
    hpx::init_params params;
    params.cfg = {"hpx.run_hpx_main!=1", "hpx.commandline.aliasing!=0", "hpx.os_threads=2"};
    is_started = manager.start(0, nullptr, params);
  }
  ~whole_program() {
    if (manager.stop() != 0) {
      std::puts("it did not end well");
    }
  }
};

int in_a_task(int argument) {
  return hpx::get_worker_thread_num() < 2 ? hpx::async([argument] { return argument; }).get() : 0;
}

}  // namespace

int main() {
  const whole_program program;
  if (!program.is_started) {
    return 1;
  }
  const int here = hpx::run_as_hpx_thread(&in_a_task, 41);
  int there = 0;
  bool is_once = false;
  std::thread other([&] {
    const bool is_first = hpx::register_thread(program.manager.get_runtime_ptr(), "other");
    const bool is_second = hpx::register_thread(program.manager.get_runtime_ptr(), "other");
    hpx::run_as_hpx_thread([&there] { there = in_a_task(1); });
    is_once = is_first && !is_second && hpx::unregister_thread(program.manager.get_runtime_ptr());
  });
  other.join();
  std::printf(
      "%d and %d from a thread, registered %s\n", here, there, is_once ? "once" : "wrongly");
}
