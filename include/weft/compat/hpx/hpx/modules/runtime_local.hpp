// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime of one process.
#pragma once

#include <hpx/config.hpp>
#include <hpx/manage_runtime.hpp>  // IWYU pragma: export
#include <hpx/runtime.hpp>         // IWYU pragma: export

namespace hpx {

namespace execution_base {

/// The waiter; weft's waits find out by themselves whether it is a task or a thread.
struct agent_base {};

namespace detail {
[[nodiscard]] inline agent_base& get_default_agent() noexcept {
  static agent_base any;
  return any;
}
}  // namespace detail

}  // namespace execution_base

namespace local {
template <class... Args>
bool termination_detection(const Args&...) {
  static_assert(compat::is_missing<Args...>,
                "hpx::local::termination_detection: a task of weft does not wait for all others; "
                "join those that are meant (hpx::wait_all, hpx::experimental::task_group), or call "
                "hpx::local::stop() outside");
  return false;
}
}  // namespace local

namespace util {
class interval_timer {
 public:
  template <class... Args>
  explicit interval_timer(const Args&...) {
    static_assert(compat::is_missing<Args...>,
                  "hpx::util::interval_timer: weft calls nothing at intervals; let a task do so "
                  "with hpx::this_thread::sleep_until in a loop");
  }
  static bool start() noexcept { return false; }
  static bool stop() noexcept { return false; }
};
}  // namespace util

}  // namespace hpx
