// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtimes that a runtime keeps for sets of CPUs.
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

  /// The runtime for exactly those CPUs, which this starts if need be; never the whole itself.
  /// Errors: as `runtime::on_cpus`.
  [[nodiscard]] runtime& on(std::vector<int> cpus);
  [[nodiscard]] const runtime_options& whole() const noexcept { return whole_; }

  /// Adds those that were started, and the parts of each.
  void add_to(std::vector<scheduler*>& all);
  /// False in a fork of the process that made this.
  [[nodiscard]] bool is_of_this_process() const noexcept {
    return process_ == process_generation();
  }

 private:
  const runtime_options whole_;
  const std::uint32_t process_;
  std::mutex mutex_;
  std::map<std::vector<int>, std::unique_ptr<runtime>> all_;
};

/// Waits until neither this runtime nor any of its parts has a task left, also of those that come
/// and go between them, and of parts that are started meanwhile.
/// Threads: none of their tasks; the process ends if one calls it.
void wait_until_all_idle(runtime& whole);

}  // namespace weft::tasks::detail
