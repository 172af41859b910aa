// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part runtimes of a runtime, one for each set of CPUs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/runtime/process_generation.hpp"

namespace weft::tasks::detail {

class scheduler;

/// Threads: any.
class runtime_parts {
 public:
  explicit runtime_parts(runtime_options whole)
      : whole_(std::move(whole)), process_(process_generation()) {}

  /// Returns the part for exactly those CPUs, which it starts if necessary; never the whole
  /// runtime.
  /// Errors:  as `runtime::on_cpus`.
  [[nodiscard]] runtime& on(std::vector<int> cpus);
  [[nodiscard]] const runtime_options& whole() const noexcept { return whole_; }

  /// Adds the started parts, and their own parts.
  void add_to(std::vector<scheduler*>& all);
  /// False in a fork of the process that made this object.
  [[nodiscard]] bool is_of_this_process() const noexcept {
    return process_ == process_generation();
  }

 private:
  const runtime_options whole_;
  const std::uint32_t process_;
  std::mutex mutex_;
  std::map<std::vector<int>, std::unique_ptr<runtime>> all_;
};

/// Waits until neither this runtime nor any of its parts has a task left. This includes tasks that
/// move between them, and parts started meanwhile.
/// Threads: not from one of their tasks, which would end the process.
void wait_until_all_idle(runtime& whole);

}  // namespace weft::tasks::detail
