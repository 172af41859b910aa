// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the program's main as a task. Programs are linked with --wrap=main, so __wrap_main below
// calls main.
#include <algorithm>
#include <string_view>

#include <hpx/runtime.hpp>

#include "weft/base/message.hpp"
#include "weft/tasks/runtime.hpp"

#include "compat/command_line.hpp"
#include "compat/job.hpp"

namespace hpx::compat {

namespace {
bool runs_as_task = false;
}

// Declared as in <hpx/hpx_main.hpp>, which makes every file that includes it call this function.
bool wrap_main() noexcept;
bool wrap_main() noexcept {
  runs_as_task = true;
  return true;
}

}  // namespace hpx::compat

extern "C" {

int __real_main(int argc, char** argv);  // NOLINT: the linker's name

int __wrap_main(int argc, char** argv) {  // NOLINT: the linker's name
  if (!hpx::compat::runs_as_task) {
    return __real_main(argc, argv);
  }
  bool runs_everywhere = false;
  char** const end = std::remove_if(argv, argv + argc, [&](std::string_view argument) {
    const bool is_everywhere = argument == hpx::compat::runs_everywhere_argument;
    runs_everywhere = runs_everywhere || is_everywhere;
    return is_everywhere || hpx::compat::asks_for_all_workers(argument);
  });
  argc = static_cast<int>(end - argv);
  *end = nullptr;  // argv has a null pointer after the last argument
  return hpx::compat::call_and_report("main: ", [&] {
    const weft::init_result begun = weft::try_init(argc, argv);
    if (!begun.text.empty()) {
      weft::send_message(begun.text);
    }
    if (begun.should_exit) {
      return 0;
    }
    hpx::compat::keep_arguments(argc, argv);
    return hpx::compat::run_job("main: ", [&] {
      return weft::default_runtime().run([&] {
        hpx::compat::begin_job(nullptr);
        const bool runs = runs_everywhere || hpx::get_locality_id() == 0;
        return runs ? __real_main(argc, argv) : 0;
      });
    });
  });
}

}  // extern "C"
