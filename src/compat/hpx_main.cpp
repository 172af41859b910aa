// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's main as a task: linked with --wrap=main, it is called here.
#include <algorithm>
#include <exception>
#include <string>

#include "weft/base/message.hpp"
#include "weft/tasks/runtime.hpp"

#include "compat/command_line.hpp"

namespace hpx::compat {

namespace {
bool runs_as_task = false;
}

// As <hpx/hpx_main.hpp> declares it, which has it called in whatever file includes it.
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
  try {
    char** const end = std::remove_if(argv, argv + argc, hpx::compat::asks_for_all_workers);
    argc = static_cast<int>(end - argv);
    *end = nullptr;  // there is one behind the last
    const weft::init_result begun = weft::try_init(argc, argv);
    if (!begun.text.empty()) {
      weft::send_message(begun.text);
    }
    if (begun.should_exit) {
      return 0;
    }
    weft::runtime& home = weft::default_runtime();
    const int result = home.run([&] { return __real_main(argc, argv); });
    home.wait_until_idle();
    return result;
  } catch (const std::exception& raised) {
    weft::send_message(std::string("main: ") + raised.what() + '\n');
  } catch (...) {
    weft::send_message("main: an exception that is not a std::exception\n");
  }
  return -1;
}

}  // extern "C"
