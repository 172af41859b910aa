// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Leads to a scheduler until it begins to end.
#pragma once

#include <concepts>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "tasks/runtime/process_generation.hpp"

namespace weft::tasks::detail {

class scheduler;

/// Threads: any.
class runtime_gate {
 public:
  runtime_gate(scheduler& home, std::string name) : home_(&home), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Calls `f(home)`. False: the runtime has ended, or lives in the parent of this process.
  template <std::invocable<scheduler&> F>
  bool call(F f) {
    // In a fork, a thread that the fork does not have may hold the mutex.
    if (process_ != known_process_generation()) {
      return false;
    }
    const std::lock_guard guard(mutex_);
    if (home_ == nullptr) {
      return false;
    }
    f(*home_);
    return true;
  }

  /// Waits for calls that are under way. The runtime calls it in its own process only.
  void close() noexcept {
    const std::lock_guard guard(mutex_);
    home_ = nullptr;
  }

 private:
  std::mutex mutex_;
  scheduler* home_;
  const std::string name_;
  const std::uint32_t process_ = process_generation();
};

}  // namespace weft::tasks::detail
