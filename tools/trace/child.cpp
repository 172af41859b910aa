// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts a process and waits for it.
#include "child.hpp"

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <signal.h>  // sigaction is POSIX's
#include <spawn.h>
#include <stdlib.h>  // setenv and the wait macros are POSIX's
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/base/error.hpp"

namespace weft::tools {
namespace {

/// Lets a signal that the terminal sends to both end only the program.
class ignored_signal {
 public:
  explicit ignored_signal(int number) noexcept : number_(number) {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(number_, &ignore, &before_);
  }
  ignored_signal(const ignored_signal&) = delete;
  ignored_signal& operator=(const ignored_signal&) = delete;
  ~ignored_signal() { sigaction(number_, &before_, nullptr); }

 private:
  int number_;
  struct sigaction before_ = {};
};

child_end wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? child_end{.signal = WTERMSIG(status)}
                             : child_end{.code = WEXITSTATUS(status)};
}

}  // namespace

child_end run_traced(const std::vector<std::string>& program,
                     const std::filesystem::path& output,
                     const std::optional<std::string>& buffer) {
  setenv("WEFT_TRACE", (output.string() + ":rings").c_str(), 1);
  if (buffer) {
    setenv("WEFT_TRACE_BUFFER", buffer->c_str(), 1);
  }
  std::vector<std::string> texts = program;
  std::vector<char*> arguments;
  arguments.reserve(texts.size() + 1);
  for (std::string& each : texts) {
    arguments.push_back(each.data());
  }
  arguments.push_back(nullptr);

  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, arguments.front(), nullptr, nullptr, arguments.data(), environ);
  if (failure != 0) {
    throw error("weft trace: cannot run " + program.front() + ": " +
                std::generic_category().message(failure) +
                "; give its path, as in weft trace -- ./" + program.front());
  }
  const ignored_signal interrupt(SIGINT);
  const ignored_signal quit(SIGQUIT);
  return wait_for(child);
}

}  // namespace weft::tools
