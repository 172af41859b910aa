// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker puts into its deque to learn how long a task lies there.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/split_deque.hpp"
#include "weft/tasks/detail/deque/task.hpp"

namespace weft::tasks::detail {

/// Goes through the deque instead of a task, to tell how long that lay there.
///
/// Threads: `follow` by its worker; runs wherever the task would have run.
class delay_probe : public task {
 public:
  delay_probe() noexcept;
  /// Takes the place of `t`, just pushed, unless it is on its way already or `t` is public.
  void follow(split_deque& tasks, task& t) noexcept;
  /// What `t`, which the caller has taken from a deque, stands for: itself, or what a probe
  /// follows.
  [[nodiscard]] static task& behind(task& t) noexcept {
    return t.run == run_followed ? *static_cast<delay_probe&>(t).followed_ : t;
  }
  /// The task behind it, which runs next here: its delay is known, and the probe free.
  task& arrive() noexcept;
  /// When its worker has claimed the task that it stands for.
  void reclaim(task_clock& clock) noexcept;
  static waiter* run_followed(task& t) noexcept;

 private:
  task* followed_ = nullptr;
  std::uint64_t since_ticks_ = 0;
  std::atomic<bool> is_in_flight_{false};
};

}  // namespace weft::tasks::detail
