// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clocks and timers.
#pragma once

#include <chrono>
#include <cstdint>

#include <hpx/config.hpp>

namespace hpx::chrono {

using steady_clock = std::chrono::steady_clock;
using std::chrono::duration;
using std::chrono::time_point;

/// Units: nanoseconds.
struct high_resolution_clock {
  [[nodiscard]] static std::uint64_t now() noexcept {
    const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(since_start).count());
  }
};

/// Units: seconds.
class high_resolution_timer {
 public:
  void restart() noexcept { start_ = std::chrono::steady_clock::now(); }
  [[nodiscard]] double elapsed() const noexcept {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  [[nodiscard]] std::int64_t elapsed_microseconds() const noexcept {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                 start_)
        .count();
  }
  [[nodiscard]] std::int64_t elapsed_nanoseconds() const noexcept {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace hpx::chrono

namespace hpx::util {
using hpx::chrono::high_resolution_timer;
}
