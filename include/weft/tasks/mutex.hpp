// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes whose waiters are suspended: the worker runs other tasks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>

#include "weft/base/assert.hpp"
#include "weft/base/durations.hpp"
#include "weft/tasks/detail/scheduler/identity.hpp"
#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"

namespace weft {

class condition_variable;

/// A mutex for tasks and OS threads alike; a Lockable that std::unique_lock, std::scoped_lock and
/// std::lock take.
///
/// Waiters are woken in order of arrival. A running thread may overtake the woken one; a waiter
/// that loses that race four times gets the mutex next, so none starves. The holder may be
/// suspended and resume on another OS thread. The task holds the mutex: tasks that it calls itself
/// while it waits for a fork (see `fork_join`) count as the same task.
/// Cost:    uncontended, one locked instruction each for `lock` and `unlock`. No allocation.
/// Errors:  locking a mutex that the caller holds throws `weft::error` instead of waiting for ever.
///          Debug builds report three mistakes (see weft/base/assert.hpp): unlocking a mutex of
///          another task, destroying a locked one, and ending or suspending with one locked. The
///          last applies to a task, to a part of a `fork_join` or `task_group`, and to a suspended
///          coroutine. No code could unlock the mutex. A task may wait with a mutex locked,
///          but the tasks it waits for must not need it. In debug builds a deadlock report lists
///          the mutexes of each task. `lock` throws `weft::error` if no address space is left for a
///          stack; nothing is locked then.
/// Source:  the word with a queue inside is that of WebKit's WordLock (Pizlo, "Locking in WebKit",
///          2016).
/// Example: tests/tasks/mutex_test.cpp: excludes_all_others.
class mutex {
 public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() { check_unheld(); }

  void lock(const std::source_location& where = std::source_location::current()) {
    lock_unnoted(where);
    tasks::detail::now_holds(this, "mutex", where);
  }

  /// Never fails while the mutex is free.
  bool try_lock(const std::source_location& where = std::source_location::current()) noexcept {
    if (!take_unwaited() && !take_if_free(0)) {
      return false;
    }
    owner_.store(tasks::detail::current_identity(), std::memory_order_relaxed);
    tasks::detail::now_holds(this, "mutex", where);
    return true;
  }

  void unlock() {
    check_owner();
    tasks::detail::no_longer_holds(this);
    release();
  }

 protected:
  bool try_lock_before(tasks::detail::time_point deadline, const std::source_location& where);
  [[nodiscard]] bool is_mine() const noexcept {
    return owner_.load(std::memory_order_relaxed) == tasks::detail::current_identity();
  }

 private:
  friend class condition_variable;
  struct attempt;

  // Bits of the word below the address of the first waiter.
  static constexpr std::uintptr_t locked = 1;
  static constexpr std::uintptr_t queue_locked = 2;  // a thread is changing the queue
  static constexpr std::uintptr_t woken = 4;         // a waiter is on its way: wake no other
  static constexpr std::uintptr_t flags = 7;

  void lock_unnoted(const std::source_location& where) {
    if (!take_unwaited()) [[unlikely]] {
      lock_slowly(where);
    }
    owner_.store(tasks::detail::current_identity(), std::memory_order_relaxed);
  }

  /// Unlocks without asking by whom.
  void release() noexcept {
    owner_.store(nullptr, std::memory_order_relaxed);
    std::uintptr_t expected = locked;
    // release: pairs with the acquire of the next lock
    if (!word_.compare_exchange_strong(
            expected, 0, std::memory_order_release, std::memory_order_relaxed)) [[unlikely]] {
      release_slowly();
    }
  }

  void check_owner() const {
    WEFT_ASSERT(is_mine(),
                "a mutex was unlocked by a task that does not hold it; unlock where it was locked, "
                "or use a binary_semaphore to signal another task");
  }
  void check_unheld() const {
    WEFT_ASSERT(word_.load(std::memory_order_relaxed) == 0,
                "a mutex was destroyed while somebody holds it or waits for it; keep it alive "
                "longer than its users");
  }

  /// Takes the mutex if it is free and no task waits for it.
  bool take_unwaited() noexcept {
    std::uintptr_t expected = 0;
    // acquire: pairs with the release in unlock
    return word_.compare_exchange_strong(
        expected, locked, std::memory_order_acquire, std::memory_order_relaxed);
  }
  bool take_if_free(std::uintptr_t cleared) noexcept;
  void lock_slowly(const std::source_location& where);
  /// As `lock`, for one that gave the mutex up to wait: does not fail for want of a stack.
  void lock_surely(const std::source_location& where);
  bool take(attempt& mine, const std::source_location& where);
  bool wait_once(attempt& mine, const tasks::detail::wait_reason& why);
  bool give_up_turn(attempt& mine) noexcept;
  bool enlist(attempt& mine, tasks::detail::waiter& node) noexcept;
  void withdraw(tasks::detail::waiter& node) noexcept;
  void release_slowly() noexcept;
  void wake_next(std::uintptr_t word) noexcept;
  void unlock_queue(tasks::detail::waiter* first) noexcept;

  std::atomic<std::uintptr_t> word_{0};
  std::atomic<const void*> owner_{nullptr};  // null while that is not known yet, too
};

/// A mutex that can be waited for with a time limit.
///
/// Example: tests/tasks/mutex_test.cpp: a_time_limit_ends_the_wait.
class timed_mutex : public mutex {
 public:
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration,
                    const std::source_location& where = std::source_location::current()) {
    return try_lock(where) || try_until(tasks::detail::deadline_after(duration), where);
  }
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& limit,
                      const std::source_location& where = std::source_location::current()) {
    return try_lock(where) || try_until(tasks::detail::deadline_at(limit), where);
  }

 private:
  bool try_until(tasks::detail::time_point deadline, const std::source_location& where) {
    const bool is_locked = try_lock_before(deadline, where);
    if (is_locked) {
      tasks::detail::now_holds(this, "timed_mutex", where);
    }
    return is_locked;
  }
};

/// A mutex that its holder may lock again.
///
/// Errors:  as `mutex`.
/// Example: tests/tasks/mutex_test.cpp: a_recursive_mutex_counts.
class recursive_mutex : private mutex {
 public:
  void lock(const std::source_location& where = std::source_location::current()) {
    if (!is_mine()) {
      mutex::lock(where);
    }
    ++depth_;
  }
  bool try_lock(const std::source_location& where = std::source_location::current()) noexcept {
    if (!is_mine() && !mutex::try_lock(where)) {
      return false;
    }
    ++depth_;
    return true;
  }
  void unlock() {
    WEFT_ASSERT(is_mine(), "a recursive_mutex was unlocked by a task that does not hold it");
    if (--depth_ == 0) {
      mutex::unlock();
    }
  }

 private:
  std::size_t depth_ = 0;  // the holder's
};

}  // namespace weft
