// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The child makes the call and reports an exception through a pipe; the parent counts its threads.
#include "lab/inncabs/trial.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <signal.h>  // kill is POSIX's
#include <stdlib.h>  // the wait macros are POSIX's
#include <string.h>  // sigdescr_np is GNU's
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"

#include "lab/harness/memory.hpp"

namespace weft::lab::inncabs {
namespace {

constexpr int status_threw = 3;

std::string text_of_errno() { return std::strerror(errno); }

/// Both ends are closed once it is gone.
class message_pipe {
 public:
  message_pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw error("cannot make a pipe: " + text_of_errno() + "; close files");
    }
  }
  message_pipe(const message_pipe&) = delete;
  message_pipe& operator=(const message_pipe&) = delete;
  ~message_pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }

  /// Short enough for the pipe to take the whole message, whether it is read or not.
  void write(std::string_view text) const {
    const std::string_view start = text.substr(0, buffer_size);
    // If the message cannot be written, only the text of the end lacks it.
    [[maybe_unused]] const auto num_written = ::write(ends_[1], start.data(), start.size());
  }

  /// Returns the message; call it once the writer has ended.
  [[nodiscard]] std::string read() const {
    std::array<char, buffer_size> text{};
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    const auto num_read = ::read(ends_[0], text.data(), text.size());
    return {text.data(), num_read < 0 ? 0 : static_cast<std::size_t>(num_read)};
  }

 private:
  static constexpr std::size_t buffer_size = 512;
  std::array<int, 2> ends_{};
};

/// Ends the calling process, the child.
[[noreturn]] void call_in_child(void (*call)(void*), void* context, const message_pipe& message) {
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
    dup2(nowhere, STDERR_FILENO);
  }
  try {
    call(context);
  } catch (const std::exception& problem) {
    message.write(problem.what());
    _exit(status_threw);
  }
  _exit(0);
}

struct usage {
  std::uint64_t threads = 0;
  std::uint64_t bytes = 0;
};

/// Of a process that may have ended: returns nothing then.
usage usage_of(pid_t process) {
  const std::vector<std::string> lines =
      base::read_lines("/proc/" + std::to_string(process) + "/status");
  const auto number = [&](std::string_view key) {
    const std::optional<std::string> text = base::keyed_value(lines, key);
    return static_cast<std::uint64_t>(text ? base::parse_integer(*text).value_or(0) : 0);
  };
  constexpr std::uint64_t bytes_per_kib = 1024;
  return {.threads = number("Threads"), .bytes = number("VmRSS") * bytes_per_kib};
}

/// Returns which limit is exceeded, or an empty text.
std::string excess(const usage& now, double elapsed_s, const trial_limits& limits) {
  if (now.threads > limits.max_threads) {
    return "it was ended when it had " + std::to_string(now.threads) + " threads, more than " +
           std::to_string(limits.max_threads);
  }
  if (now.bytes > limits.max_bytes) {
    return "it was ended when it held " + std::to_string(now.bytes >> 20U) +
           " MiB of memory, more than " + std::to_string(limits.max_bytes >> 20U);
  }
  if (elapsed_s > limits.max_time_s) {
    return "it was ended after " + std::to_string(static_cast<std::uint64_t>(elapsed_s)) + " s";
  }
  return {};
}

trial_end end_of(int status, const message_pipe& message) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return {.is_survived = false,
            .how = "it was ended by signal " + std::to_string(signal) + " (" + sigdescr_np(signal) +
                   ")"};
  }
  const int code = WEXITSTATUS(status);
  if (code == status_threw) {
    return {.is_survived = false, .how = "it threw: " + message.read()};
  }
  trial_end end{.is_survived = code == 0, .how = {}};
  if (!end.is_survived) {
    end.how = "it exited with status " + std::to_string(code);
  }
  return end;
}

trial_end watch(pid_t child, const message_pipe& message, const trial_limits& limits) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds between_looks{2};
  const clock::time_point start = clock::now();
  std::string killed_because;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const std::chrono::duration<double> elapsed = clock::now() - start;
    if (killed_because.empty()) {
      killed_because = excess(usage_of(child), elapsed.count(), limits);
      if (!killed_because.empty()) {
        kill(child, SIGKILL);
      }
    }
    std::this_thread::sleep_for(between_looks);
  }
  if (!killed_because.empty()) {
    return {.is_survived = false, .how = killed_because};
  }
  return end_of(status, message);
}

trial_limits with_memory_limit(trial_limits limits) {
  if (limits.max_bytes == 0) {
    const auto available = available_memory_bytes();
    limits.max_bytes = available ? *available / 2 : std::numeric_limits<std::uint64_t>::max();
  }
  return limits;
}

}  // namespace

trial_end try_in_child(void (*call)(void* context), void* context, const trial_limits& limits) {
  const trial_limits limited = with_memory_limit(limits);
  const message_pipe message;
  const pid_t child = fork();
  if (child < 0) {
    throw error("cannot start a process to try in: " + text_of_errno() + "; end other processes");
  }
  if (child == 0) {
    call_in_child(call, context, message);
  }
  return watch(child, message, limited);
}

}  // namespace weft::lab::inncabs
