// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the task group of the running code, also in parts of a task that thieves run.
#pragma once

#include <atomic>
#include <cstdint>

#include "weft/tasks/detail/scheduler/self.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_MAY_FAKE_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_MAY_FAKE_FRAMES 1
#endif
#endif

namespace weft {

class task_group;

namespace tasks::detail {

struct stack;

#if defined(WEFT_MAY_FAKE_FRAMES)
/// Marks a frame: the object's address tells on which stack its function runs. AddressSanitizer may
/// keep local variables elsewhere.
struct frame_mark {
  [[gnu::always_inline]] frame_mark() noexcept : position(stack_position()) {}
  [[nodiscard]] const void* address() const noexcept { return position; }
  const char* position;
};
#else
/// Marks a frame: the object's address tells on which stack its function runs.
struct frame_mark {
  [[nodiscard]] const void* address() const noexcept { return this; }
};
#endif

/// Encloses the call of a group's task, or of a part of a task. All code called from there belongs
/// to the same group.
///
/// A fork stores nothing for this: the worker that runs a forked part knows an address in the frame
/// of the fork. The scopes around the fork are those on the same stack whose frames lie above that
/// address. They do not change before the part has ended, and are looked up only on request.
/// Cost:    about ten instructions.
/// Threads: the worker that runs the function with the scope. That function is
///          `gnu::no_sanitize_address`, which keeps the scope on the stack. The code inside the
///          scope is a separate function, whose frame lies beneath the scope.
class task_scope {
 public:
  /// For a task of `group`; null: for a task of no group.
  explicit task_scope(task_group* group) noexcept
      : group_(reinterpret_cast<std::uintptr_t>(group)), origin_(nullptr) {
    enter();
  }
  /// For code that was started in the frame that holds the address `origin`, perhaps on another
  /// stack.
  explicit task_scope(const void* origin) noexcept : group_(unknown), origin_(origin) { enter(); }
  task_scope(const task_scope&) = delete;
  task_scope& operator=(const task_scope&) = delete;
  ~task_scope();

  /// Returns the group whose task is calling; null: none, or the caller is not a worker.
  [[nodiscard]] static task_group* current_group() noexcept;

 private:
  static constexpr std::uintptr_t unknown = 1;

  void enter() noexcept;
  [[nodiscard]] task_group* group() noexcept;
  [[nodiscard]] static task_group* group_at(const void* address) noexcept;

  std::atomic<std::uintptr_t> group_;  // relaxed: all threads that look it up find the same value
  const void* origin_;
  stack* here_ = nullptr;  // null: not on a worker
  task_scope* outer_ = nullptr;
  std::atomic<task_scope*> inner_{nullptr};
};

}  // namespace tasks::detail
}  // namespace weft
