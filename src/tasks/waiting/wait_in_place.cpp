// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for a task that cannot leave its stack, since no other stack is available.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include <sched.h>

#include "weft/counters/worker_block.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/groups/task_scope.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

#include "tasks/scheduler/scheduler.hpp"
#include "tasks/scheduler/worker_loop.hpp"
#include "tasks/waiting/futex.hpp"
#include "tasks/waiting/standstill.hpp"

namespace weft::tasks::detail {
namespace {

using clock = std::chrono::steady_clock;

/// True if a nested task above the waiting one would still find a quarter of the stack for itself.
bool has_room(const worker& w) noexcept {
  const auto size_bytes = w.current->high - w.current->low;
  return stack_position() > reinterpret_cast<const char*>(w.stack_limit) + size_bytes / 4;
}

/// Runs `t` as a nested call above the waiting task, with an identity of its own.
[[gnu::noinline, gnu::no_sanitize_address]] void run_above(worker& w, task& t) noexcept {
  constexpr task_group* none = nullptr;
  const task_scope scope(none);
  stack& here = *w.current;
  const void* const before = here.identity;
  here.identity = static_cast<const void*>(&before);
  held_lock* its_locks = nullptr;  // recorded in debug builds
  held_lock** const held_below =
      std::exchange(here.held, here.held == nullptr ? nullptr : &its_locks);
  ++here.num_beneath;
  waiter* const ready = run_counted(w, t, run_kind::called);
  check_nothing_is_held();
  here.held = held_below;
  --here.num_beneath;
  here.identity = before;
  if (ready != nullptr) {
    resume(*ready);
  }
}

/// The pauses of a worker that finds no task: first short ones, then sleeps that grow longer. No
/// thread wakes it, because the code that ends the wait does not know it.
class failed_searches {
 public:
  explicit failed_searches(const waiter& node) noexcept : node_(node) {}
  failed_searches(const failed_searches&) = delete;
  failed_searches& operator=(const failed_searches&) = delete;
  ~failed_searches() { end(); }

  /// Ends the series of failed searches.
  void end() noexcept {
    if (home_ != nullptr) {
      home_->end_failed_searches(*self());
      home_ = nullptr;
    }
    count_ = 0;
  }

  void add(worker& w) noexcept {
    constexpr unsigned most_pauses = 64;
    constexpr unsigned most_yields = 128;
    ++count_;
    if (count_ <= most_pauses) {
      spin_pause();
    } else if (count_ <= most_yields) {
      sched_yield();
    } else {
      sleep(w);
    }
  }

  [[nodiscard]] unsigned count() const noexcept { return count_; }

 private:
  void sleep(worker& w) noexcept {
    using namespace std::chrono_literals;
    if (home_ == nullptr) {
      home_ = w.home;
      home_->begin_failed_searches(w);
      pause_ = 20us;
      since_ = clock::now();
    }
    const std::atomic<std::uint32_t> nobody{0};
    futex_wait(nobody, 0, pause_);
    pause_ = std::min<std::chrono::nanoseconds>(pause_ * 2, 1ms);
    if (!home_->is_stuck()) {
      since_ = clock::now();
    } else if (!is_explained_ && clock::now() - since_ > standstill_timeout) {
      is_explained_ = true;
      explain_stuck(*home_, node_);
    }
  }

  const waiter& node_;
  scheduler* home_ = nullptr;  // not null after begin_failed_searches()
  unsigned count_ = 0;
  bool is_explained_ = false;
  std::chrono::nanoseconds pause_{};
  clock::time_point since_;
};

}  // namespace

void wait_in_place(enlistment& e, const end_check& end) noexcept {
  failed_searches looks(*e.node);
  while (!end.is_over(end.context)) {
    worker& w = *self();
    if (stack* fresh = loop_stack(w)) {
      looks.end();
      suspend_to(w, *fresh, e);
      return;
    }
    task* t =
        has_room(w) ? w.home->search_while_waiting(w, looks.count()) : w.home->find_ready_waiter(w);
    if (t == nullptr) {
      looks.add(w);
      continue;
    }
    looks.end();
    if (is_ready_waiter(*t)) {
      w.count->resumes.add(1);
      suspend_to(w, *waiter::as_waiter(*t)->fiber, e);
      return;
    }
    run_above(w, *t);
  }
}

}  // namespace weft::tasks::detail
