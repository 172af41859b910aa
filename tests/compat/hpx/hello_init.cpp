// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program with options of its own, which ends when no task is left.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iostream>

#include <hpx/future.hpp>
#include <hpx/init.hpp>
#include <hpx/runtime.hpp>
#include <hpx/thread.hpp>

std::atomic<int> num_ended{0};
int num_wanted = 0;
std::size_t num_workers = 0;

int hpx_main(hpx::program_options::variables_map& vm) {
  num_wanted = vm["count"].as<int>();
  for (int i = 0; i < num_wanted; ++i) {
    hpx::post([] {
      hpx::this_thread::sleep_for(std::chrono::milliseconds(2));
      ++num_ended;
    });
  }
  num_wanted = vm["width"].as<int>();
  num_workers = hpx::get_os_thread_count();
  if (vm.count("absent") != 0) {
    return 1;
  }
  return hpx::finalize();
}

int main(int argc, char* argv[]) {
  hpx::program_options::options_description options("usage: " HPX_APPLICATION_STRING " [options]");
  options.add_options()("count,c", hpx::program_options::value<int>()->default_value(1), "tasks")(
      "width,w", hpx::program_options::value<int>(), "a number")("absent", "never given");
  hpx::init_params params;
  params.desc_cmdline = options;

  const int result = hpx::init(argc, argv, params);
  std::cout << num_ended << " of " << num_wanted << " on " << num_workers << " workers: " << result
            << '\n';
  return result;
}
