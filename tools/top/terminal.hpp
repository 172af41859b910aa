// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A terminal that is drawn on, and given back as it was.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <termios.h>

namespace weft::top {

/// What the environment says about how to draw.
[[nodiscard]] bool wants_unicode();
/// False unless standard output is a terminal, and one that can.
[[nodiscard]] bool wants_colour();
/// True if standard input and output are a terminal that a picture can be drawn on.
[[nodiscard]] bool can_draw();

/// Asks the process to stop; set by SIGINT, SIGTERM and SIGHUP once `watch_signals` was called.
[[nodiscard]] bool must_stop() noexcept;
void watch_signals();

/// Sleeps; less if a signal comes. `descriptor` (none: -1) readable also ends it: returns true.
bool wait_for(double seconds, int descriptor = -1);

/// Takes the terminal over: another screen, no echo, no cursor. The destructor gives it back.
class terminal {
 public:
  terminal();
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal();

  struct size {
    std::size_t width;
    std::size_t height;
  };
  [[nodiscard]] size current_size() const;
  void draw(const std::vector<std::string>& lines) const;
  /// Waits for the next look. False: the user wants to leave.
  [[nodiscard]] bool wait(double seconds) const;

 private:
  ::termios before_{};
};

}  // namespace weft::top
