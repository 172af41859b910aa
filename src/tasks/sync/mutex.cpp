// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow paths of the mutex: waiting, waking, and handing over.
#include "weft/tasks/mutex.hpp"

#include <atomic>
#include <cstdint>
#include <source_location>

#include <sched.h>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/alarm.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

namespace weft {
namespace {

using tasks::detail::spin_pause;
using tasks::detail::wait_queue;
using tasks::detail::wait_reason;
using tasks::detail::waiter;

// After so many failed attempts of a woken waiter the mutex is handed to it directly.
constexpr int num_losses_before_hand_over = 4;

/// Waits for another thread that changes the queue: a few instructions, unless that thread was
/// preempted.
class short_wait {
 public:
  void operator()() noexcept {
    constexpr int pauses_before_yield = 64;
    if (++num_pauses_ % pauses_before_yield == 0) {
      sched_yield();
    } else {
      spin_pause();
    }
  }

 private:
  int num_pauses_ = 0;
};

std::uintptr_t address_of(const waiter* node) noexcept {
  static_assert(alignof(waiter) >= 8);
  return reinterpret_cast<std::uintptr_t>(node);
}

}  // namespace

/// The state of one call to lock, kept over its waits.
struct mutex::attempt {
  const tasks::detail::time_point* deadline = nullptr;
  bool must_succeed = false;
  int num_losses = 0;
  bool is_woken = false;  // the word's `woken` bit belongs to this attempt
  bool is_holder = false;
};

/// Takes the mutex if it is free, and then also clears the bits `cleared`.
bool mutex::take_if_free(std::uintptr_t cleared) noexcept {
  std::uintptr_t word = word_.load(std::memory_order_relaxed);
  while ((word & locked) == 0) {
    // acquire: pairs with the release in unlock
    if (word_.compare_exchange_weak(word,
                                    (word | locked) & ~cleared,
                                    std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void mutex::lock_slowly(const std::source_location& where) {
  attempt mine;
  take(mine, where);
}

void mutex::lock_surely(const std::source_location& where) {
  if (!take_if_free(0)) {
    attempt mine{.must_succeed = true};
    take(mine, where);
  }
  owner_.store(tasks::detail::current_identity(), std::memory_order_relaxed);
}

bool mutex::try_lock_before(tasks::detail::time_point deadline, const std::source_location& where) {
  attempt mine{.deadline = &deadline};
  if (!take(mine, where)) {
    return false;
  }
  owner_.store(tasks::detail::current_identity(), std::memory_order_relaxed);
  return true;
}

/// Waits until the mutex is taken. False: the time limit has passed.
bool mutex::take(attempt& mine, const std::source_location& where) {
  if (mine.deadline == nullptr && is_mine()) {
    throw error(errc::deadlock,
                "weft::mutex: deadlock: the task locks a mutex that it holds already" +
                    tasks::detail::since_where(this) +
                    "; use weft::recursive_mutex, or lock it once");
  }
  const wait_reason why{.kind = "mutex", .object = this, .where = where};
  while (!take_if_free(mine.is_woken ? woken : 0)) {
    if (tasks::detail::worker* w = tasks::detail::self(); w != nullptr && mine.num_losses == 0) {
      w->count->mutex_contended.add(1);
    }
    bool is_in_time = false;
    try {
      is_in_time = wait_once(mine, why);
    } catch (...) {
      if (mine.is_woken && !give_up_turn(mine)) {
        return true;
      }
      throw;
    }
    if (!is_in_time) {
      return mine.is_woken && !give_up_turn(mine);
    }
    if (mine.is_holder) {
      return true;
    }
    mine.is_woken = true;
    ++mine.num_losses;
  }
  return true;
}

/// Waits once. False: the time limit has passed.
bool mutex::wait_once(attempt& mine, const wait_reason& why) {
  auto enlist_me = [this, &mine](waiter& node) noexcept { return enlist(mine, node); };
  if (mine.must_succeed) {
    // The worker may run other tasks meanwhile, so the next unlock must wake another waiter.
    if (mine.is_woken && !give_up_turn(mine)) {
      mine.is_holder = true;
      return true;
    }
    tasks::detail::wait_surely(why, enlist_me, [this, &mine]() noexcept {
      mine.is_holder = take_if_free(mine.is_woken ? woken : 0);
      return mine.is_holder;
    });
    return true;
  }
  if (mine.deadline == nullptr) {
    tasks::detail::wait(why, enlist_me);
    return true;
  }
  return tasks::detail::wait_until(
      why, *mine.deadline, enlist_me, [this](waiter& node) noexcept { withdraw(node); });
}

/// Lets the next unlock wake another waiter. False: the mutex was free, and now belongs to the
/// caller.
bool mutex::give_up_turn(attempt& mine) noexcept {
  std::uintptr_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const bool is_free = (word & locked) == 0;
    // acquire: pairs with the release in unlock
    if (word_.compare_exchange_weak(word,
                                    (word | (is_free ? locked : 0)) & ~woken,
                                    std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      mine.is_woken = false;
      return !is_free;
    }
  }
}

/// Puts `node` into the queue. False: the mutex has been taken instead.
bool mutex::enlist(attempt& mine, waiter& node) noexcept {
  const std::uintptr_t mask = mine.is_woken ? ~woken : ~std::uintptr_t{0};
  short_wait pause;
  std::uintptr_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    const bool is_free = (word & locked) == 0;
    if (!is_free && (word & queue_locked) != 0) {
      pause();
      word = word_.load(std::memory_order_relaxed);
      continue;
    }
    // acquire: pairs with the release in unlocking the mutex or its queue
    if (word_.compare_exchange_weak(word,
                                    (word | (is_free ? locked : queue_locked)) & mask,
                                    std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      mine.is_woken = false;
      mine.is_holder = is_free;
      if (is_free) {
        return false;
      }
      break;
    }
  }
  node.context = &mine;
  wait_queue queue(reinterpret_cast<waiter*>(word & ~flags));  // NOLINT(performance-no-int-to-ptr)
  if (mine.num_losses > 0) {
    queue.push_front(node);
  } else {
    queue.push_back(node);
  }
  unlock_queue(queue.first());
  return true;
}

void mutex::withdraw(waiter& node) noexcept {
  short_wait pause;
  std::uintptr_t word = word_.load(std::memory_order_relaxed);
  // acquire: pairs with the release in unlock_queue()
  while ((word & queue_locked) != 0 ||
         !word_.compare_exchange_weak(
             word, word | queue_locked, std::memory_order_acquire, std::memory_order_relaxed)) {
    if ((word & queue_locked) != 0) {
      pause();
      word = word_.load(std::memory_order_relaxed);
    }
  }
  wait_queue queue(reinterpret_cast<waiter*>(word & ~flags));  // NOLINT(performance-no-int-to-ptr)
  queue.remove_if_queued(node);
  unlock_queue(queue.first());
}

void mutex::unlock_queue(waiter* first) noexcept {
  std::uintptr_t word = word_.load(std::memory_order_relaxed);
  // release: pairs with the acquire of the next thread that locks the queue. The mutex may be
  // locked meanwhile.
  while (!word_.compare_exchange_weak(word,
                                      (word & (locked | woken)) | address_of(first),
                                      std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
}

void mutex::release_slowly() noexcept {
  short_wait pause;
  std::uintptr_t word = word_.load(std::memory_order_relaxed);
  for (;;) {
    if ((word & locked) == 0) {
      return;  // it was not locked: reported in debug builds
    }
    if ((word & queue_locked) != 0) {
      pause();
      word = word_.load(std::memory_order_relaxed);
      continue;
    }
    const bool must_wake = (word & ~flags) != 0 && (word & woken) == 0;
    const std::uintptr_t next = must_wake ? word | queue_locked : word & ~locked;
    // release: pairs with the acquire of the next lock; acquire: pairs with the thread that changed
    // the queue
    if (word_.compare_exchange_weak(
            word, next, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      if (must_wake) {
        wake_next(word);
      }
      return;
    }
  }
}

/// Unlocks mutex and queue, both of which the caller holds: no other thread changes the word.
void mutex::wake_next(std::uintptr_t word) noexcept {
  wait_queue queue(reinterpret_cast<waiter*>(word & ~flags));  // NOLINT(performance-no-int-to-ptr)
  waiter* node = queue.pop_claimed();
  std::uintptr_t state = 0;
  if (node != nullptr) {
    auto& theirs = *static_cast<attempt*>(node->context);
    theirs.is_holder = theirs.num_losses >= num_losses_before_hand_over;
    state = theirs.is_holder ? locked : woken;
  }
  // release: pairs with the acquire of the next thread that locks the mutex or the queue
  word_.store(state | address_of(queue.first()), std::memory_order_release);
  if (node != nullptr) {
    resume(*node);
  }
}

}  // namespace weft
