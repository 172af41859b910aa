// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Locks several mutexes at once without deadlock, livelock or busy waiting.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <tuple>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

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

/// Whether no two of `mutexes` are the same.
template <class... Lockable>
[[nodiscard]] bool are_all_different(Lockable&... mutexes) noexcept {
  const std::array<const void*, sizeof...(Lockable)> addresses{std::addressof(mutexes)...};
  bool is_any_double = false;
  for (std::size_t i = 1; i < addresses.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      is_any_double |= addresses[i] == addresses[j];
    }
  }
  return !is_any_double;
}

/// Locks all without waiting, or none. Errors: what a `try_lock` throws; none is locked then.
template <class First, class... Rest>
bool try_lock_all(First& first, Rest&... rest) {
  if (!first.try_lock()) {
    return false;
  }
  if constexpr (sizeof...(Rest) > 0) {
    try {
      if (!try_lock_all(rest...)) {
        first.unlock();
        return false;
      }
    } catch (...) {
      first.unlock();
      throw;
    }
  }
  return true;
}

/// Tries the cheapest way, without a wait: every mutex is free and named once.
template <class... Lockable>
bool lock_if_free([[maybe_unused]] Lockable&... mutexes) {
  if constexpr ((requires { mutexes.try_lock(); } && ...)) {
    return are_all_different(mutexes...) && try_lock_all(mutexes...);
  }
  return false;
}

}  // namespace tasks::detail

/// Locks all of `mutexes`, each once even if it is named twice.
///
/// If any mutex is locked or passed twice, releases all of them and locks in address order. So
/// callers may wait for each other, but never in a cycle. Unlock with `weft::unlock` if some may be
/// the same; better, use `scoped_lock`.
/// Cost:    uncontended, that of each mutex's `try_lock`.
/// Threads: as the mutexes' `lock`; the caller holds none of them.
/// Errors:  what a `lock` throws; none is locked then.
/// Example: tests/tasks/lock_test.cpp: philosophers_all_eat.
template <class... Lockable>
  requires(sizeof...(Lockable) > 0)
void lock(Lockable&... mutexes) {
  if (tasks::detail::lock_if_free(mutexes...)) [[likely]] {
    return;
  }
  std::array all{tasks::detail::any_lockable::of(mutexes)...};
  tasks::detail::lock_in_order(tasks::detail::sort_unique(all));
}

/// Unlocks what `lock` locked, each once.
template <class... Lockable>
  requires(sizeof...(Lockable) > 0)
void unlock(Lockable&... mutexes) {
  if (tasks::detail::are_all_different(mutexes...)) [[likely]] {
    (mutexes.unlock(), ...);
    return;
  }
  std::array all{tasks::detail::any_lockable::of(mutexes)...};
  for (const auto& mutex : tasks::detail::sort_unique(all)) {
    mutex.unlock(mutex.address);
  }
}

/// Holds all of its mutexes as long as it lives, each once even if it is named twice.
///
/// Example: tests/tasks/lock_test.cpp: a_mutex_may_be_named_twice.
template <class... Lockable>
  requires(sizeof...(Lockable) > 0)
class scoped_lock {
 public:
  explicit scoped_lock(Lockable&... mutexes) : mutexes_(mutexes...) { weft::lock(mutexes...); }
  ~scoped_lock() {
    std::apply([](Lockable&... mutexes) { weft::unlock(mutexes...); }, mutexes_);
  }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;

 private:
  std::tuple<Lockable&...> mutexes_;
};

}  // namespace weft
