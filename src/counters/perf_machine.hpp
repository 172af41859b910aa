// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all counters of the /perf family share: the kernel, and what is known of it.
#pragma once

#include <compare>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"

#include "counters/environment.hpp"
#include "counters/event_counter.hpp"
#include "counters/machine_facts.hpp"
#include "counters/perf_kernel.hpp"
#include "counters/perf_page.hpp"
#include "counters/perf_plan.hpp"
#include "counters/perf_proof.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {

/// Where events are counted, whose threads are workers; tests plant others.
struct perf_surroundings {
  environment where = {};
  worker_source workers = worker_threads;
  processor_registers processor = running_processor();
};

/// Events that can be in one group: those that are inherited cannot be with those that are not.
struct event_group_key {
  int thread_id = 0;
  descent whose = descent::alone;
  friend auto operator<=>(const event_group_key&, const event_group_key&) = default;
};

/// Events opened at one moment lead those opened after them on the same thread, so that all of them
/// are scheduled together and their ratios mean something. Values are descriptors.
using event_leaders = std::map<event_group_key, int>;

/// Threads: any.
class perf_machine {
 public:
  explicit perf_machine(perf_surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  [[nodiscard]] perf_kernel& kernel() const { return *surroundings_.where.kernel; }
  [[nodiscard]] const std::filesystem::path& root() const { return surroundings_.where.root; }
  [[nodiscard]] const processor_registers& processor() const { return surroundings_.processor; }

  [[nodiscard]] machine_facts facts() const;
  /// Returns why a plan cannot be carried out; empty: it can.
  [[nodiscard]] std::string refusal(const perf_plan& plan);
  /// The workers, looked up once per evaluation.
  [[nodiscard]] std::shared_ptr<const std::vector<worker_thread>> workers(evaluation& now) const;
  [[nodiscard]] std::vector<worker_thread> workers() const { return surroundings_.workers(); }
  /// Shared by all counters that are opened in one evaluation.
  [[nodiscard]] event_leaders& leaders(evaluation& now) const;

 private:
  perf_surroundings surroundings_;
  std::mutex mutex_;                   // of what follows
  std::unique_ptr<perf_proof> proof_;  // made when first needed: it reads /proc/cpuinfo
  char leaders_key_ = 0;
};

}  // namespace weft::counters::detail
