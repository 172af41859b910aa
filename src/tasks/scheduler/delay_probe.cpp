// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A probe replaces a task in a deque, and runs that task when a worker takes the probe.
#include "weft/tasks/detail/scheduler/delay_probe.hpp"

#include <atomic>
#include <cstdint>

#include "weft/counters/ticks.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft::tasks::detail {

delay_probe::delay_probe() noexcept : task(run_followed) {}

task& delay_probe::arrive() noexcept {
  task& followed = *followed_;
  const std::uint64_t since_ticks = since_ticks_;
  is_in_flight_.store(false, std::memory_order_release);  // pairs with follow()
  self()->clock.note_delay(since_ticks);
  return followed;
}

waiter* delay_probe::run_followed(task& t) noexcept {
  task& followed = static_cast<delay_probe&>(t).arrive();
  return followed.run(followed);
}

void delay_probe::follow(split_deque& tasks, task& t) noexcept {
  // acquire: pairs with arrive(), whose worker no longer uses this probe
  const bool is_free = !tasks.has_replaced() || !is_in_flight_.load(std::memory_order_acquire);
  if (!is_free) {
    return;
  }
  followed_ = &t;
  since_ticks_ = counters::ticks_now();
  // relaxed: a worker that takes the probe sees the stores before it was put into the deque
  is_in_flight_.store(true, std::memory_order_relaxed);
  if (!tasks.replace_top(t, *this, [](const task& there) { return !is_ready_waiter(there); })) {
    is_in_flight_.store(false, std::memory_order_relaxed);
  }
}

void delay_probe::reclaim(task_clock& clock) noexcept {
  is_in_flight_.store(false, std::memory_order_relaxed);
  clock.note_delay(since_ticks_);
}

}  // namespace weft::tasks::detail
