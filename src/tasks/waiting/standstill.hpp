// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Notices when every task waits and nothing will end a wait, and explains it.
#pragma once

#include <chrono>

namespace weft::tasks::detail {

class scheduler;
struct waiter;

/// How long everything must stand still: a thread outside weft may be about to move it, and for a
/// person this is early enough.
inline constexpr auto standstill_timeout = std::chrono::seconds(1);
/// The same for one runtime while another one goes on, which may be about to wake its tasks: a
/// longer computation there is no reason to speak.
inline constexpr auto standstill_timeout_with_others = std::chrono::seconds(60);

/// Runtimes whose standstill is looked for.
void register_runtime(scheduler& home);
void unregister_runtime(scheduler& home) noexcept;

/// Explains that `node`, which waits where it is for want of a stack, will wait for ever if no
/// thread outside weft helps. Ends the program if the options of `home` ask for it.
void explain_stuck(const scheduler& home, const waiter& node) noexcept;

/// Called by an OS thread that has waited long, at the moment `now`. If no runtime can go on and
/// tasks wait, explains why and does what the runtimes' options ask for. True: it was explained.
/// If some go on, tells of those that have stood still for long, and that is all.
///
/// Errors: `weft::deadlock_error` if they ask for an exception.
bool look_for_standstill(
    std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

/// Called by an OS thread that has waited in `node` since `since`, a long time. As above;
/// without waiting tasks, explains the thread's own wait. While the process has threads that may be
/// outside weft, which could end the wait, that takes longer, and is only logged.
///
/// Errors: as above.
bool look_for_standstill_of_thread(const waiter& node, std::chrono::steady_clock::time_point since);

/// While it lives, the calling thread counts as one that waits in weft.
class waiting_thread {
 public:
  waiting_thread() noexcept;
  waiting_thread(const waiting_thread&) = delete;
  waiting_thread& operator=(const waiting_thread&) = delete;
  ~waiting_thread();
};

}  // namespace weft::tasks::detail
