// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes that suspend tasks.
#pragma once

#include <mutex>

#include <hpx/compat/async_rw_mutex.hpp>  // IWYU pragma: export
#include <hpx/config.hpp>

#include "weft/tasks/lock.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/once.hpp"
#include "weft/tasks/spinlock.hpp"

namespace hpx {

using weft::call_once;
using weft::mutex;
using weft::once_flag;
using weft::recursive_mutex;
using weft::spinlock;
using weft::timed_mutex;

/// A lock that locks nothing.
struct no_mutex {
  void lock() noexcept {}
  [[nodiscard]] bool try_lock() noexcept { return true; }
  void unlock() noexcept {}
};

/// HPX's spinlock that does not wait longer and longer; weft's never does.
using spinlock_no_backoff = weft::spinlock;

/// Lets go of a locked mutex, or lock, as long as it lives.
template <class Mutex>
class unlock_guard {
 public:
  explicit unlock_guard(Mutex& locked) : locked_(locked) { locked_.unlock(); }
  unlock_guard(const unlock_guard&) = delete;
  unlock_guard& operator=(const unlock_guard&) = delete;
  ~unlock_guard() { locked_.lock(); }

 private:
  Mutex& locked_;
};

namespace util {

using hpx::unlock_guard;

/// HPX refuses waits with a lock held unless it is named so; weft allows them.
template <class Lock>
class ignore_while_checking {
 public:
  explicit ignore_while_checking(const Lock* /*held*/) noexcept {}
};
template <class Lock>
ignore_while_checking(Lock*) -> ignore_while_checking<Lock>;
struct ignore_all_while_checking {
  ignore_all_while_checking() noexcept {}  // user-provided: no warning of an unused object
};

}  // namespace util

namespace lcos::local {
using hpx::mutex;
using hpx::recursive_mutex;
using hpx::spinlock;
using hpx::spinlock_no_backoff;
using hpx::timed_mutex;
}  // namespace lcos::local

}  // namespace hpx
