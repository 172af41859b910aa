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

#include "counters/core/worker_threads.hpp"
#include "counters/families/perf/machine_facts.hpp"
#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_page.hpp"
#include "counters/families/perf/perf_plan.hpp"

namespace weft::counters::detail {

/// The kernel that is asked, and the folder that holds proc/ and sys/; tests plant others.
struct environment {
  std::filesystem::path root = "/";
  perf_kernel* kernel = &running_kernel();
};

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

/// What an event needs from kernel.perf_event_paranoid.
[[nodiscard]] privilege needed_by(const event_code& code) noexcept;

/// Tries each event once and remembers the result, unless others held what it needs.
///
/// Cost:    an event that counts: known work of about a millisecond, once per process.
/// Threads: one thread at a time.
class perf_proof {
 public:
  perf_proof(perf_kernel& kernel, machine_facts machine);

  /// Returns why a thread's event does not count here; empty if it does, at least `least` for known
  /// work. An event that may rightly read 0 is as good as the unit that counts it: instructions
  /// must not stay 0.
  [[nodiscard]] std::string refusal(const event_code& code, double least);
  /// The same for units that serve the whole machine; they must count something.
  [[nodiscard]] std::string refusal(const std::vector<event_place>& places);

 private:
  struct verdict {
    std::string reason;
    bool is_stuck = false;   // opens, but stays 0
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
