// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Condition variables whose waiters are suspended: the worker runs other tasks.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <source_location>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/timed_wait.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/inplace_stop_token.hpp"
#include "weft/tasks/mutex.hpp"

namespace weft {

using std::cv_status;

namespace tasks::detail {

/// Locks what the caller gave up to wait, and has to give back locked. If there is no stack to wait
/// on, it asks over and over, and lets others go first in between.
template <class Lock>
void lock_again(Lock& outer) {
  if constexpr (!requires { static_cast<bool>(outer.try_lock()); }) {
    outer.lock();
  } else {
    bool is_locked = false;
    auto try_again = [&]() noexcept {
      is_locked = is_locked || static_cast<bool>(outer.try_lock());
      return is_locked;
    };
    while (!try_again()) {
      try {
        outer.lock();
        return;
      } catch (const error&) {
        if (self() == nullptr) {
          throw;
        }
      }
      wait_surely({.kind = "lock", .object = &outer}, resume_later, try_again);
    }
  }
}

/// Tells a wait whether a stop was requested.
struct stop_query {
  bool (*asked)(const void* token) noexcept = nullptr;
  const void* token = nullptr;
  [[nodiscard]] bool stop_requested() const noexcept { return asked != nullptr && asked(token); }
};

/// weft's stop tokens, and the standard's.
template <class Token>
concept any_stop_token = stoppable_token<Token> || std::same_as<Token, std::stop_token>;
template <class Token, class Callback>
struct stop_callback_of : std::type_identity<stop_callback_for_t<Token, Callback>> {};
template <class Callback>
struct stop_callback_of<std::stop_token, Callback>
    : std::type_identity<std::stop_callback<Callback>> {};

/// Calls `wait_once` until `is_done()`, but no more after a timeout; returns what `is_done()` said.
template <class Predicate, class WaitOnce>
bool wait_until_done(Predicate& is_done, WaitOnce wait_once) {
  while (!is_done()) {
    if (wait_once() == cv_status::timeout) {
      return is_done();
    }
  }
  return true;
}

}  // namespace tasks::detail

class condition_variable_any;

/// A condition variable for weft::mutex, with the members and the meaning of
/// std::condition_variable.
///
/// Waiters are woken in order of arrival.
/// Cost:    `notify_one` and `notify_all` without waiters are one load. No allocation.
/// Threads: every member from tasks and OS threads alike.
/// Errors:  waiting with a lock that does not hold its mutex is reported in debug builds.
///          `weft::error` if no address space is left for a stack; the mutex stays locked.
/// Example: tests/tasks/condition_variable_test.cpp: a_notified_waiter_goes_on.
class condition_variable {
 public:
  constexpr condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;
  ~condition_variable() = default;

  void notify_one() noexcept {
    if (has_waiters()) {
      notify(false);
    }
  }
  void notify_all() noexcept {
    if (has_waiters()) {
      notify(true);
    }
  }

  void wait(std::unique_lock<mutex>& lock,
            const std::source_location& where = std::source_location::current());

  template <class Predicate>
  void wait(std::unique_lock<mutex>& lock,
            Predicate is_done,
            const std::source_location& where = std::source_location::current()) {
    while (!is_done()) {
      wait(lock, where);
    }
  }

  template <class Clock, class Duration>
  cv_status wait_until(std::unique_lock<mutex>& lock,
                       const std::chrono::time_point<Clock, Duration>& limit,
                       const std::source_location& where = std::source_location::current()) {
    return wait_before(lock, tasks::detail::deadline_at(limit), where);
  }

  template <class Clock, class Duration, class Predicate>
  bool wait_until(std::unique_lock<mutex>& lock,
                  const std::chrono::time_point<Clock, Duration>& limit,
                  Predicate is_done,
                  const std::source_location& where = std::source_location::current()) {
    return tasks::detail::wait_until_done(is_done, [&] { return wait_until(lock, limit, where); });
  }

  template <class Rep, class Period>
  cv_status wait_for(std::unique_lock<mutex>& lock,
                     const std::chrono::duration<Rep, Period>& duration,
                     const std::source_location& where = std::source_location::current()) {
    return wait_before(lock, tasks::detail::deadline_after(duration), where);
  }

  template <class Rep, class Period, class Predicate>
  bool wait_for(std::unique_lock<mutex>& lock,
                const std::chrono::duration<Rep, Period>& duration,
                Predicate is_done,
                const std::source_location& where = std::source_location::current()) {
    return wait_until(lock, tasks::detail::deadline_after(duration), std::move(is_done), where);
  }

 private:
  friend class condition_variable_any;

  // A waiter held the mutex under which the condition became true, or will see it.
  [[nodiscard]] bool has_waiters() const noexcept {
    return has_waiters_.load(std::memory_order_seq_cst);
  }
  void notify(bool all) noexcept;
  cv_status wait_before(std::unique_lock<mutex>& lock,
                        tasks::detail::time_point deadline,
                        const std::source_location& where);
  /// Returns at once if a stop has been requested; `notify` after the request ends the wait.
  cv_status wait_unless(const tasks::detail::stop_query& stop,
                        std::unique_lock<mutex>& lock,
                        const tasks::detail::time_point* deadline,
                        const std::source_location& where);
  bool enlist(const tasks::detail::stop_query& stop,
              mutex& held,
              tasks::detail::waiter& node) noexcept;
  void withdraw(tasks::detail::waiter& node) noexcept;

  tasks::detail::spin_lock guard_;
  std::atomic<bool> has_waiters_{false};
  tasks::detail::wait_queue queue_;
};

/// A condition variable for any BasicLockable, with the members and the meaning of
/// std::condition_variable_any, those that take a stop token included.
///
/// Cost:    one allocation when it is made; a mutex more than `condition_variable` per call.
/// Example: tests/tasks/condition_variable_test.cpp: a_stop_request_ends_the_wait.
class condition_variable_any {
 public:
  condition_variable_any() : mutex_(std::make_shared<mutex>()) {}
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;
  ~condition_variable_any() = default;

  void notify_one() {
    const std::lock_guard guard(*mutex_);
    condition_.notify_one();
  }
  void notify_all() {
    const std::lock_guard guard(*mutex_);
    condition_.notify_all();
  }

  template <class Lock>
  void wait(Lock& lock, const std::source_location& where = std::source_location::current()) {
    const exchange both(lock, mutex_);
    condition_.wait(both.inner(), where);
  }

  template <class Lock, class Predicate>
  void wait(Lock& lock,
            Predicate is_done,
            const std::source_location& where = std::source_location::current()) {
    while (!is_done()) {
      wait(lock, where);
    }
  }

  template <class Lock, class Clock, class Duration>
  cv_status wait_until(Lock& lock,
                       const std::chrono::time_point<Clock, Duration>& limit,
                       const std::source_location& where = std::source_location::current()) {
    const exchange both(lock, mutex_);
    return condition_.wait_until(both.inner(), limit, where);
  }

  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock,
                  const std::chrono::time_point<Clock, Duration>& limit,
                  Predicate is_done,
                  const std::source_location& where = std::source_location::current()) {
    return tasks::detail::wait_until_done(is_done, [&] { return wait_until(lock, limit, where); });
  }

  template <class Lock, class Rep, class Period>
  cv_status wait_for(Lock& lock,
                     const std::chrono::duration<Rep, Period>& duration,
                     const std::source_location& where = std::source_location::current()) {
    return wait_until(lock, tasks::detail::deadline_after(duration), where);
  }

  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock,
                const std::chrono::duration<Rep, Period>& duration,
                Predicate is_done,
                const std::source_location& where = std::source_location::current()) {
    return wait_until(lock, tasks::detail::deadline_after(duration), std::move(is_done), where);
  }

  /// Waits until `is_done()`, or until a stop is requested; returns `is_done()`.
  template <class Lock, tasks::detail::any_stop_token Token, class Predicate>
  bool wait(Lock& lock,
            const Token& token,
            Predicate is_done,
            const std::source_location& where = std::source_location::current()) {
    return wait_unless(token, lock, nullptr, is_done, where);
  }

  template <class Lock,
            tasks::detail::any_stop_token Token,
            class Clock,
            class Duration,
            class Predicate>
  bool wait_until(Lock& lock,
                  const Token& token,
                  const std::chrono::time_point<Clock, Duration>& limit,
                  Predicate is_done,
                  const std::source_location& where = std::source_location::current()) {
    const auto deadline = tasks::detail::deadline_at(limit);
    return wait_unless(token, lock, &deadline, is_done, where);
  }

  template <class Lock,
            tasks::detail::any_stop_token Token,
            class Rep,
            class Period,
            class Predicate>
  bool wait_for(Lock& lock,
                const Token& token,
                const std::chrono::duration<Rep, Period>& duration,
                Predicate is_done,
                const std::source_location& where = std::source_location::current()) {
    const auto deadline = tasks::detail::deadline_after(duration);
    return wait_unless(token, lock, &deadline, is_done, where);
  }

 private:
  /// Holds the inner mutex instead of the caller's lock. The inner one is unlocked first at the
  /// end, and outlives the condition variable, which a notified waiter's owner may destroy.
  template <class Lock>
  class exchange {
   public:
    exchange(Lock& outer, std::shared_ptr<mutex> inner)
        : mutex_(std::move(inner)), outer_(outer), inner_(*mutex_) {
      outer_.unlock();
    }
    ~exchange() {
      inner_.unlock();
      tasks::detail::lock_again(outer_);
    }
    exchange(const exchange&) = delete;
    exchange& operator=(const exchange&) = delete;
    [[nodiscard]] std::unique_lock<mutex>& inner() const noexcept { return inner_; }

   private:
    std::shared_ptr<mutex> mutex_;
    Lock& outer_;
    mutable std::unique_lock<mutex> inner_;
  };

  template <class Lock, tasks::detail::any_stop_token Token, class Predicate>
  bool wait_unless(const Token& token,
                   Lock& lock,
                   const tasks::detail::time_point* deadline,
                   Predicate& is_done,
                   const std::source_location& where) {
    // It must not wait: std::stop_source takes the task for the OS thread it was called on.
    const auto notify_all = [this]() noexcept { condition_.notify(true); };
    using callback = typename tasks::detail::stop_callback_of<Token, decltype(notify_all)>::type;
    const callback wake(token, notify_all);
    const tasks::detail::stop_query stop{
        [](const void* asked) noexcept {
          return static_cast<const Token*>(asked)->stop_requested();
        },
        std::addressof(token)};
    while (!token.stop_requested()) {
      if (is_done()) {
        return true;
      }
      const exchange both(lock, mutex_);
      if (condition_.wait_unless(stop, both.inner(), deadline, where) == cv_status::timeout) {
        break;
      }
    }
    return is_done();
  }

  std::shared_ptr<mutex> mutex_;
  condition_variable condition_;
};

}  // namespace weft
