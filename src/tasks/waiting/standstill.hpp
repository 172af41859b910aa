// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects that every task waits and that nothing will end a wait, and reports it.
#pragma once

#include <chrono>

namespace weft::tasks::detail {

class scheduler;
struct waiter;

/// Everything must stand still for this long, because a thread outside weft may be about to wake a
/// task. For a person the report is early enough.
inline constexpr auto standstill_timeout = std::chrono::seconds(1);
/// The time for one runtime while another one runs, which may be about to wake its tasks. A shorter
/// one would report long computations.
inline constexpr auto standstill_timeout_with_others = std::chrono::seconds(60);

/// Adds and removes a runtime whose standstill is to be detected.
void register_runtime(scheduler& home);
void unregister_runtime(scheduler& home) noexcept;

/// Reports that `node`, which waits in place for lack of a stack, will wait for ever unless a
/// thread outside weft helps. Ends the program if the options of `home` ask for it.
void explain_stuck(const scheduler& home, const waiter& node) noexcept;

/// Called by an OS thread that has waited long, at the moment `now`. If no runtime can proceed and
/// tasks wait, reports why and acts as the runtimes' options say. True: it has reported that.
/// If some runtimes can proceed, only logs those that have stood still for long.
///
/// Errors:  `weft::deadlock_error` if the options ask for an exception.
bool look_for_standstill(
    std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

/// Called by an OS thread that has waited in `node` since `since`, a long time. Does the same as
/// `look_for_standstill`; if no task waits, reports the thread's own wait.
/// If the process has threads that may be outside weft and could end the wait, this takes longer,
/// and the wait is only logged.
///
/// Errors:  as `look_for_standstill`.
bool look_for_standstill_of_thread(const waiter& node, std::chrono::steady_clock::time_point since);

/// While an object lives, the calling thread counts as waiting in weft.
class waiting_thread {
 public:
  waiting_thread() noexcept;
  waiting_thread(const waiting_thread&) = delete;
  waiting_thread& operator=(const waiting_thread&) = delete;
  ~waiting_thread();
};

}  // namespace weft::tasks::detail
