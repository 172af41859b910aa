// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that all /perf counters share: the kernel, and facts about it.
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

#include "counters/core/worker_threads.hpp"
#include "counters/families/perf/machine_facts.hpp"
#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_page.hpp"
#include "counters/families/perf/perf_plan.hpp"

namespace weft::counters::detail {

/// The kernel to ask, and the folder that contains proc/ and sys/. Tests replace both.
struct environment {
  std::filesystem::path root = "/";
  perf_kernel* kernel = &running_kernel();
};

/// The place where events are counted, and the threads that are workers. Tests replace both.
struct perf_surroundings {
  environment where = {};
  worker_source workers = worker_threads;
  processor_registers processor = running_processor();
};

/// The key of events that can be in one group. Inherited events cannot be grouped with others.
struct event_group_key {
  int thread_id = 0;
  descent whose = descent::alone;
  friend auto operator<=>(const event_group_key&, const event_group_key&) = default;
};

/// Events opened at one moment lead events opened later on the same thread. So all of them are
/// scheduled together, and their ratios are meaningful. Values are descriptors.
using event_leaders = std::map<event_group_key, int>;

/// Returns the kernel.perf_event_paranoid level that an event needs.
[[nodiscard]] privilege needed_by(const event_code& code) noexcept;

/// Tries each event once and remembers the result, unless other programs held the resources it
/// needs.
///
/// Cost:    known work of about a millisecond for an event that counts, once per process.
/// Threads: one thread at a time.
class perf_proof {
 public:
  perf_proof(perf_kernel& kernel, machine_facts machine);

  /// Returns why a thread's event does not count here; empty if it counts at least `least` for
  /// known work. An event that may rightly read 0 is accepted if instructions, which the same unit
  /// counts, do not stay 0.
  [[nodiscard]] std::string refusal(const event_code& code, double least);
  /// As above, for units that serve the whole machine. They must count something.
  [[nodiscard]] std::string refusal(const std::vector<event_place>& places);

 private:
  struct verdict {
    std::string reason;
    bool is_stuck = false;   // can be opened, but stays 0
    bool is_lasting = true;  // false: worth another try later
  };
  verdict judge(const std::vector<event_place>& places, privilege needed, double least);
  verdict verdict_on(const event_code& code, double least);

  perf_kernel* kernel_;
  machine_facts machine_;
  std::vector<std::pair<event_code, verdict>> known_;
};

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
  /// Returns the workers, looked up once per evaluation.
  [[nodiscard]] std::shared_ptr<const std::vector<worker_thread>> workers(evaluation& now) const;
  [[nodiscard]] std::vector<worker_thread> workers() const { return surroundings_.workers(); }
  /// Returns the leaders, shared by all counters that are opened in one evaluation.
  [[nodiscard]] event_leaders& leaders(evaluation& now) const;

 private:
  perf_surroundings surroundings_;
  std::mutex mutex_;                   // protects the following members
  std::unique_ptr<perf_proof> proof_;  // made at the first use, because it reads /proc/cpuinfo
  char leaders_key_ = 0;
};

}  // namespace weft::counters::detail
