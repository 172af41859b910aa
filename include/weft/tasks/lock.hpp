// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks several mutexes at once without deadlock, livelock or busy waiting.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace weft {
namespace tasks::detail {

/// A mutex of any type.
struct any_lockable {
  template <class Lockable>
  static any_lockable of(Lockable& mutex) noexcept {
    return {.address = std::addressof(mutex),
            .lock = [](void* m) { static_cast<Lockable*>(m)->lock(); },
            .unlock = [](void* m) { static_cast<Lockable*>(m)->unlock(); }};
  }

  void* address;
  void (*lock)(void*);
  void (*unlock)(void*);
};

/// Sorts by address and returns the part that holds each mutex once.
inline std::span<any_lockable> sort_unique(std::span<any_lockable> mutexes) noexcept {
  std::ranges::sort(mutexes, std::less<>{}, &any_lockable::address);
  const auto doubles = std::ranges::unique(mutexes, {}, &any_lockable::address);
  return mutexes.first(mutexes.size() - doubles.size());
}

/// Locks in order. Errors: what a `lock` throws; none is locked then.
inline void lock_in_order(std::span<any_lockable> mutexes) {
  std::size_t num_locked = 0;
  try {
    for (; num_locked < mutexes.size(); ++num_locked) {
      mutexes[num_locked].lock(mutexes[num_locked].address);
    }
  } catch (...) {
    while (num_locked > 0) {
      --num_locked;
      mutexes[num_locked].unlock(mutexes[num_locked].address);
    }
    throw;
  }
}

}  // namespace tasks::detail

/// Locks all of `mutexes`, each once even if it is named twice.
///
/// All callers lock in the order of the addresses, so they wait for each other but never in a ring,
/// and nobody lets go of what it has to try again. Unlock with `weft::unlock` if some may be the
/// same; better, use `scoped_lock`.
/// Threads: as the mutexes' `lock`; the caller holds none of them.
/// Errors:  what a `lock` throws; none is locked then.
/// Example: tests/tasks/lock_test.cpp: philosophers_all_eat.
template <class... Lockable>
  requires(sizeof...(Lockable) > 0)
void lock(Lockable&... mutexes) {
  std::array all{tasks::detail::any_lockable::of(mutexes)...};
  tasks::detail::lock_in_order(tasks::detail::sort_unique(all));
}

/// Unlocks what `lock` locked, each once.
template <class... Lockable>
  requires(sizeof...(Lockable) > 0)
void unlock(Lockable&... mutexes) {
  std::array all{tasks::detail::any_lockable::of(mutexes)...};
  for (const auto& mutex : tasks::detail::sort_unique(all)) {
    mutex.unlock(mutex.address);
  }
}

/// Holds all of its mutexes as long as it lives, each once even if it is named twice.
///
/// Example: tests/tasks/lock_test.cpp: a_mutex_may_be_named_twice.
template <class... Lockable>
class scoped_lock {
 public:
  explicit scoped_lock(Lockable&... mutexes)
      : all_{tasks::detail::any_lockable::of(mutexes)...}, each_(tasks::detail::sort_unique(all_)) {
    tasks::detail::lock_in_order(each_);
  }
  ~scoped_lock() {
    for (const auto& mutex : each_) {
      mutex.unlock(mutex.address);
    }
  }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;

 private:
  std::array<tasks::detail::any_lockable, sizeof...(Lockable)> all_;
  std::span<tasks::detail::any_lockable> each_;
};

}  // namespace weft
