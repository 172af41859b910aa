// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits, compiled without calls at loads and stores.
#include "lab/scaling/waiting.hpp"

#include <chrono>
#include <thread>

#include "weft/tasks/latch.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace weft::lab::scaling {

void pause(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

void pause_busily(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

void wait_until_parked(const tasks::detail::scheduler& workers) {
  constexpr int num_checks = 4;
  constexpr auto between = std::chrono::milliseconds(1);
  for (int num_parked = 0; num_parked < num_checks;) {
    std::this_thread::sleep_for(between);
    num_parked = workers.is_standing_still() ? num_parked + 1 : 0;
  }
}

void spin_until_all(latch& all) {
  all.count_down();
  while (!all.try_wait()) {
    std::this_thread::yield();
  }
}

}  // namespace weft::lab::scaling
