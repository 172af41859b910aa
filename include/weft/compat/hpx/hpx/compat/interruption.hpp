// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an hpx::thread is interrupted: a request that its next interruption point finds.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "weft/tasks/this_task.hpp"

namespace hpx {

/// Ends a thread that is interrupted. Nothing else derives from it; let it pass.
struct thread_interrupted {};

namespace compat {

/// Whether a thread is to end, and whether it may be asked to.
class interruption;
using interruption_handle = std::shared_ptr<interruption>;

[[nodiscard]] interruption_handle make_interruption();
/// That of a running hpx::thread, or of the caller; null for other tasks and threads.
[[nodiscard]] interruption_handle interruption_of(weft::task_id thread);
[[nodiscard]] interruption_handle own_interruption();

/// Errors: `hpx::exception`: thread_not_interruptable; null_thread_id for a null handle.
void request_interruption(const interruption_handle& thread, bool is_wanted);
[[nodiscard]] bool is_interruption_requested(const interruption_handle& thread) noexcept;

/// Errors: `thread_interrupted`, if that was requested of the caller.
void interruption_point();
[[nodiscard]] bool is_interruption_enabled();
/// Returns what was before.
bool enable_interruption(bool is_enabled);

/// While it lives, the calling task is found by its id.
class known_thread {
 public:
  explicit known_thread(interruption_handle interruption);
  known_thread(const known_thread&) = delete;
  known_thread& operator=(const known_thread&) = delete;
  ~known_thread();

 private:
  weft::task_id id_;
};

/// Calls `body()`, which an interruption may end.
template <class Body>
void run_interruptibly(interruption_handle interruption, Body&& body) {
  const known_thread named(std::move(interruption));
  try {
    std::forward<Body>(body)();
  } catch (const thread_interrupted&) {  // the thread has done as it was told
    return;
  }
}

}  // namespace compat
}  // namespace hpx
