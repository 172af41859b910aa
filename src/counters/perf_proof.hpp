// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which events count here: opened, enabled, and read a plausible number for known work.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "counters/event_counter.hpp"
#include "counters/machine_facts.hpp"
#include "counters/perf_kernel.hpp"

namespace weft::counters::detail {

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

}  // namespace weft::counters::detail
