// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mutex that many readers or one writer hold.
#pragma once

#include <cstddef>
#include <source_location>

#include "weft/tasks/detail/sync/held_locks.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/wait_queue.hpp"

namespace weft {

/// A SharedLockable for tasks and OS threads alike, with the members and the meaning of
/// std::shared_mutex; for std::shared_lock and std::unique_lock.
///
/// First come, first served: readers that arrive after a waiting writer wait behind it, so neither
/// starves.
/// Cost:    uncontended, one locked instruction and a store per call. No allocation.
/// Errors:  a lock while the caller is the writer throws `weft::error`. Unlocking a mutex that is
///          not held, and ending as a writer (as with `mutex`), are reported in debug builds.
///          `weft::error` if no address space is left for a stack; then nothing is locked.
/// Example: tests/tasks/shared_mutex_test.cpp: writers_exclude_all_others.
class shared_mutex {
 public:
  constexpr shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;
  ~shared_mutex() = default;

  void lock(const std::source_location& where = std::source_location::current()) {
    lock_as(true, where);
    tasks::detail::now_holds(this, "shared_mutex", where);
  }
  [[nodiscard]] bool try_lock(
      const std::source_location& where = std::source_location::current()) noexcept {
    const bool is_locked = try_lock_as_writer();
    if (is_locked) {
      tasks::detail::now_holds(this, "shared_mutex", where);
    }
    return is_locked;
  }
  void unlock() {
    unlock_as_writer();
    tasks::detail::no_longer_holds(this);
  }

  void lock_shared(const std::source_location& where = std::source_location::current()) {
    lock_as(false, where);
  }
  [[nodiscard]] bool try_lock_shared() noexcept;
  void unlock_shared();

 private:
  struct request;

  [[nodiscard]] bool try_lock_as_writer() noexcept;
  void unlock_as_writer();
  void lock_as(bool is_writer, const std::source_location& where);
  [[nodiscard]] bool is_grantable(const request& wanted) const noexcept;
  void grant(const request& wanted) noexcept;
  tasks::detail::wait_queue grant_next() noexcept;

  tasks::detail::spin_lock guard_;
  std::size_t num_readers_ = 0;
  const void* writer_ = nullptr;
  tasks::detail::wait_queue queue_;
};

}  // namespace weft
