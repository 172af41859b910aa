// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records which mutexes a task holds, in debug builds. A task that ends with locked mutexes leaves
// them locked for ever.
#pragma once

#include <cstddef>
#include <exception>
#include <iosfwd>
#include <source_location>
#include <string>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

#if defined(WEFT_TRACKS_LOCKS)
WEFT_NEEDS_LIBRARY(_with_lock_tracking);
#else
WEFT_NEEDS_LIBRARY(_without_lock_tracking);
#endif

namespace weft::tasks::detail {

struct stack;

#if defined(WEFT_TRACKS_LOCKS)
inline constexpr bool tracks_locks = true;
#else
inline constexpr bool tracks_locks = false;
#endif

/// A mutex that a task or an OS thread holds. Only that task accesses its records.
struct held_lock {
  const void* mutex;
  const char* kind;  // "mutex"
  std::source_location where;
  held_lock* next;  // the lock taken before
};

// WEFT_TRACKS_LOCKS is set for all users of a library that was built with assertions. The users'
// own build settings change nothing here.
void note_lock(const void* mutex, const char* kind, const std::source_location& where) noexcept;
void forget_lock(const void* mutex) noexcept;
[[nodiscard]] std::size_t num_held_locks() noexcept;

/// Returns " (since file:line)" if the caller is known to hold `mutex`; else an empty text.
[[nodiscard]] std::string since_where(const void* mutex);

/// Writes one line for each mutex that the task suspended on `left` is known to hold.
void describe_held_locks(std::ostream& to, const stack& left);

/// Reports, and forgets, the mutexes that the caller has locked since it held `num_before`.
void report_kept_locks(std::size_t num_before, const char* what_ended);

/// Notes that the caller holds `mutex`, in debug builds.
[[gnu::always_inline]] inline void now_holds([[maybe_unused]] const void* mutex,
                                             [[maybe_unused]] const char* kind,
                                             [[maybe_unused]] const std::source_location& where) {
#if defined(WEFT_TRACKS_LOCKS)
  note_lock(mutex, kind, where);
#endif
}
[[gnu::always_inline]] inline void no_longer_holds([[maybe_unused]] const void* mutex) {
#if defined(WEFT_TRACKS_LOCKS)
  forget_lock(mutex);
#endif
}

/// Checks that a task, or a part of one, unlocks what it locks. Only in debug builds, where the
/// handler of broken assertions may throw.
class lock_balance {
#if defined(WEFT_TRACKS_LOCKS)
 public:
  lock_balance() noexcept
      : num_before_(num_held_locks()), num_exceptions_(std::uncaught_exceptions()) {}
  lock_balance(const lock_balance&) = delete;
  lock_balance& operator=(const lock_balance&) = delete;
  ~lock_balance() noexcept(false) {
    if (num_held_locks() > num_before_) [[unlikely]] {
      report();
    }
  }

 private:
  void report() const {
    try {
      report_kept_locks(num_before_, "a task, or a part of a fork_join or task_group, ended");
    } catch (...) {
      if (std::uncaught_exceptions() == num_exceptions_) {
        throw;  // otherwise the exception that ended the task is thrown
      }
    }
  }

  std::size_t num_before_;
  int num_exceptions_;
#endif
};

/// While an object lives, the caller does not count as the holder of `mutex`, which a wait unlocks.
class lock_interruption {
 public:
  explicit lock_interruption(const void* mutex) noexcept;
  lock_interruption(const lock_interruption&) = delete;
  lock_interruption& operator=(const lock_interruption&) = delete;
  ~lock_interruption();

 private:
  held_lock* note_;
};

}  // namespace weft::tasks::detail
