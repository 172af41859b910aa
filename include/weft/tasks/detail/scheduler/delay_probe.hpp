// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Measures how long a task stays in a worker's deque.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"

namespace weft::tasks::detail {

/// Replaces a task in the deque, to measure how long the task would have stayed there.
///
/// Threads: `follow` by its worker; runs wherever the task would have run.
class delay_probe : public task {
 public:
  delay_probe() noexcept;
  /// Replaces `t`, just pushed, unless the probe is in flight already or `t` is public.
  void follow(split_deque& tasks, task& t) noexcept;
  /// Returns the task that `t`, taken from a deque, stands for: `t` itself, or the task that a
  /// probe follows.
  [[nodiscard]] static task& behind(task& t) noexcept {
    return t.run == run_followed ? *static_cast<delay_probe&>(t).followed_ : t;
  }
  /// Records the delay, frees the probe, and returns its task, which the caller runs next.
  task& arrive() noexcept;
  /// Records the delay after the probe's own worker has claimed the task that it stands for.
  void reclaim(task_clock& clock) noexcept;
  static waiter* run_followed(task& t) noexcept;

 private:
  task* followed_ = nullptr;
  std::uint64_t since_ticks_ = 0;
  std::atomic<bool> is_in_flight_{false};
};

}  // namespace weft::tasks::detail
