// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that calls the functions of all policies.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace weft::policies::detail {

struct policy_thread;
using process_id = int;  // as the kernel's

/// A function that the policies' thread calls.
struct periodic {
  std::chrono::nanoseconds period{0};
  std::function<void()> step;
  std::string name;  // for the message if `step` throws

  // Written under the lock of the thread.
  std::chrono::steady_clock::time_point next = {};
  std::exception_ptr failure = nullptr;
  std::shared_ptr<policy_thread> thread = nullptr;  // null: it was never called
  bool is_ended = false;
  process_id process = 0;  // of the thread
};

/// Has `body->step` called every period. Does nothing if policies are off.
/// Errors:  std::system_error if no thread can be started.
void start(const std::shared_ptr<periodic>& body);

/// Waits for a call that is under way, unless it is the calling one. Then destroys `step`.
void stop(const std::shared_ptr<periodic>& body) noexcept;

[[nodiscard]] bool is_started(const periodic& body) noexcept;
[[nodiscard]] std::exception_ptr failure_of(const periodic& body) noexcept;

}  // namespace weft::policies::detail
