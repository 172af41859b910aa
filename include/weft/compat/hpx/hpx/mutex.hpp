// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutexes that suspend tasks.
#pragma once

#include <mutex>

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

namespace lcos::local {
using hpx::mutex;
using hpx::recursive_mutex;
using hpx::spinlock;
}  // namespace lcos::local

}  // namespace hpx
