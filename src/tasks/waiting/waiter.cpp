// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suspends a task or an OS thread, and resumes it.
#include "weft/tasks/detail/waiting/waiter.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>

#include "weft/base/error.hpp"
#include "weft/counters/trace_ring.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"
#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/stacks/stack.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"

#include "tasks/scheduler/scheduler.hpp"
#include "tasks/scheduler/worker_loop.hpp"
#include "tasks/waiting/futex.hpp"
#include "tasks/waiting/standstill.hpp"

namespace weft::tasks::detail {

namespace {

/// Errors: `weft::error`.
[[gnu::noinline, gnu::cold]] void refuse_to_wait_above_another() {
  throw error(
      "weft: out of stacks: this task runs nested on a waiting task and cannot suspend; suspend "
      "fewer tasks at a time, or allow more with --weft:max-stacks, a smaller --weft:stack-size, "
      "or ulimit -v");
}

void run_enlist(arrival& a, stack& /*left*/) noexcept {
  auto& e = static_cast<enlistment&>(a);
  waiter& node = *e.node;
  if (!e.enlist(e, node)) {
    resume(node);
  }
}

/// Sleeps until `node` is woken. Spins for a short time first, because a system call costs more.
/// Errors:  `weft::deadlock_error`, see look_for_standstill_of_thread().
void sleep_until_woken(waiter& node) {
  constexpr int num_checks = 100;
  for (int i = 0; i < num_checks && node.is_woken.load(std::memory_order_acquire) == 0; ++i) {
    spin_pause();
  }
  const waiting_thread counted;
  const auto since = std::chrono::steady_clock::now();
  bool is_explained = false;
  while (node.is_woken.load(std::memory_order_acquire) == 0) {
    if (is_explained) {
      futex_wait(node.is_woken, 0);
    } else if (!futex_wait(node.is_woken, 0, standstill_timeout)) {
      is_explained = look_for_standstill_of_thread(node, since);
    }
  }
}

}  // namespace

waiter::waiter(const wait_reason& reason) noexcept : why(&reason) {}

waiter* waiter::as_waiter(task& t) noexcept {
  static_assert(offsetof(waiter, ready) == 0);
  return reinterpret_cast<waiter*>(&t);
}

enlistment::enlistment(waiter& who, enlist_function call) noexcept
    : arrival{run_enlist}, node(&who), enlist(call) {}

[[gnu::noinline]] void suspend(enlistment& e) {
  waiter& node = *e.node;
  worker* w = self();
  if (w == nullptr) {
    if (e.enlist(e, node)) {
      sleep_until_woken(node);
    }
    return;
  }
  if (w->current->num_beneath != 0) [[unlikely]] {
    refuse_to_wait_above_another();
  }
  suspend_to(*w, prepared_for_loop(*w, *w->stacks.acquire()), e);
}

[[gnu::noinline]] void require_way_to_wait() {
  worker* w = self();
  if (w != nullptr) {
    if (w->current->num_beneath != 0) {
      refuse_to_wait_above_another();
    }
    w->stacks.reserve_one();
  }
}

[[gnu::noinline]] void suspend_surely(enlistment& e, const end_check& end) {
  worker* w = self();
  if (w == nullptr) {
    suspend(e);
  } else if (stack* next = loop_stack(*w)) {
    suspend_to(*w, *next, e);
  } else {
    wait_in_place(e, end);
  }
}

void resume(waiter& ready) noexcept {
  if (ready.fiber == nullptr) {
    std::atomic<std::uint32_t>& word = ready.is_woken;
    word.store(1, std::memory_order_release);  // release: pairs with sleep_until_woken()
    futex_wake(word);  // `ready` may be gone: the kernel only compares the address
    return;
  }
  if (worker* const w = self()) {
    w->clock.trace(
        counters::trace_kind::ready, reinterpret_cast<std::uintptr_t>(ready.fiber), &ready.ready);
  }
  scheduler& home = *ready.home;
  try {
    start(home, ready.ready);
  } catch (const std::bad_alloc&) {
    home.inject(ready.ready);  // the deque could not grow; the queue needs no memory
  }
}

void wait_until_woken(waiter& node) noexcept {
  // acquire: pairs with resume()
  while (node.is_woken.load(std::memory_order_acquire) == 0) {
    futex_wait(node.is_woken, 0);
  }
}

bool resume_later(waiter& ready) noexcept {
  ready.home->inject(ready.ready);
  return true;
}

void wait_for_completion(task& t, const wait_reason& why) {
  // The task has often nearly finished, and a check costs less than two stack switches.
  constexpr int num_checks = 20;
  for (int i = 0; i < num_checks; ++i) {
    if (task::is_final(t.done.load(std::memory_order_acquire))) {
      return;
    }
    spin_pause();
  }
  wait_surely(
      why,
      [&t](waiter& node) noexcept {
        std::uintptr_t expected = task::pending;
        // release: hands the node to complete(); acquire: if it is done, so is its result
        return t.done.compare_exchange_strong(expected,
                                              reinterpret_cast<std::uintptr_t>(&node),
                                              std::memory_order_acq_rel,
                                              std::memory_order_acquire);
      },
      // acquire: pairs with complete()
      [&t]() noexcept { return task::is_final(t.done.load(std::memory_order_acquire)); });
}

}  // namespace weft::tasks::detail
