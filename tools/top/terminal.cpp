// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Escape sequences that every terminal of the last decades knows.
#include "top/terminal.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <asm-generic/ioctls.h>  // TIOCGWINSZ
#include <signal.h>              // sigaction is POSIX's
#include <sys/ioctl.h>
#include <sys/poll.h>
#include <sys/types.h>
#include <termios.h>
#include <unistd.h>

#include "weft/base/options.hpp"

namespace weft::top {

namespace {

constinit std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return;  // the terminal is gone; a signal says so, too
    }
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;  // without SA_RESTART: waits must end
  (void)::sigaction(signal, &action, nullptr);
}

}  // namespace

bool wants_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const auto value = base::process_environment(name)) {
      return value->find("UTF-8") != std::string::npos || value->find("utf8") != std::string::npos;
    }
  }
  return false;
}

bool wants_colour() {
  return ::isatty(STDOUT_FILENO) == 1 && !base::process_environment("NO_COLOR") &&
         base::process_environment("TERM") != "dumb";
}

bool can_draw() {
  return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 &&
         base::process_environment("TERM").value_or("dumb") != "dumb";
}

bool must_stop() noexcept { return stop_requested.load(std::memory_order_relaxed); }

void watch_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    handle(signal, [](int) { stop_requested.store(true, std::memory_order_relaxed); });
  }
  handle(SIGWINCH, [](int) {});  // ends a wait, and the next picture has the new size
  handle(SIGPIPE, SIG_IGN);      // whoever read the output has left: writing says so
}

bool wait_for(double seconds, int descriptor) {
  pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
  const int timeout_ms = static_cast<int>(seconds * 1000);
  return ::poll(&watched, descriptor >= 0 ? 1 : 0, timeout_ms) > 0;
}

terminal::terminal() {
  (void)::tcgetattr(STDIN_FILENO, &before_);
  ::termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // stopped, it would leave the terminal as it is now
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  (void)::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  write_all("\x1b[?1049h\x1b[?25l");
}

terminal::~terminal() {
  write_all("\x1b[?25h\x1b[?1049l");
  (void)::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

terminal::size terminal::current_size() const {
  winsize window{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  return {.width = is_known ? window.ws_col : std::size_t{80},
          .height = is_known ? window.ws_row : std::size_t{24}};
}

void terminal::draw(const std::vector<std::string>& lines) const {
  std::string text = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += (i == 0 ? "" : "\r\n") + lines[i] + "\x1b[K";
  }
  write_all(text + "\x1b[J");
}

bool terminal::wait(double seconds) const {
  if (!wait_for(seconds, STDIN_FILENO)) {
    return !must_stop();
  }
  std::array<char, 64> keys{};
  const ssize_t num = ::read(STDIN_FILENO, keys.data(), keys.size());
  const std::string_view typed(keys.data(), num > 0 ? static_cast<std::size_t>(num) : 0);
  return num > 0 && typed.find_first_of("qQ") == std::string_view::npos && !must_stop();
}

}  // namespace weft::top
