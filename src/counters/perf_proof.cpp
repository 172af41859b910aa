// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which events count here: opened, enabled, and read a plausible number for known work.
#include "counters/perf_proof.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <linux/perf_event.h>

#include "counters/event_counter.hpp"
#include "counters/known_work.hpp"
#include "counters/machine_facts.hpp"
#include "counters/perf_events.hpp"
#include "counters/perf_kernel.hpp"

namespace weft::counters::detail {
namespace {

constexpr int most_tries = 20;  // known work is repeated while an event has not counted enough

bool is_software(const event_code& code) noexcept { return code.type == PERF_TYPE_SOFTWARE; }

/// Lets known work count.
std::optional<scaled_value> try_out(event_counter& counter, double least) {
  std::optional<scaled_value> value;
  counter.set(event_state::counting);
  for (int i = 0; i < most_tries; ++i) {
    known_work();
    const std::optional<event_sum> sum = counter.counted();
    value = sum ? extrapolate(*sum) : std::nullopt;
    if (value && value->value >= least) {
      break;
    }
  }
  counter.set(event_state::paused);
  return value;
}

}  // namespace

privilege needed_by(const event_code& code) noexcept {
  return code.is_user_only ? privilege::user_only : privilege::kernel_mode;
}

perf_proof::perf_proof(perf_kernel& kernel, machine_facts machine)
    : kernel_(&kernel), machine_(std::move(machine)) {}

std::string perf_proof::refusal(const event_code& code, double least) {
  const verdict found = verdict_on(code, least);
  if (!found.reason.empty() || is_software(code) || least > 0) {
    return found.reason;
  }
  const perf_event_row& witness = *find_perf_event("instructions");
  return verdict_on(witness.code, witness.least).is_stuck
             ? "the performance monitoring unit opens events but counts nothing"
             : "";
}

std::string perf_proof::refusal(const std::vector<event_place>& places) {
  return judge(places, privilege::whole_machine, 1).reason;
}

perf_proof::verdict perf_proof::verdict_on(const event_code& code, double least) {
  const auto found = std::ranges::find(known_, code, &std::pair<event_code, verdict>::first);
  if (found != known_.end()) {
    return found->second;
  }
  verdict fresh = judge({{.code = code}}, needed_by(code), least);
  if (fresh.is_lasting) {
    known_.emplace_back(code, fresh);
  }
  return fresh;
}

perf_proof::verdict perf_proof::judge(const std::vector<event_place>& places,
                                      privilege needed,
                                      double least) {
  opened_counter opened = open_counter(*kernel_, places);
  if (!opened.counter) {
    const int error_code = -opened.error_code;
    return {.reason = explain_open_error(opened.error_code, needed, machine_),
            .is_lasting = error_code != EMFILE && error_code != ENFILE && error_code != EBUSY};
  }
  const std::optional<scaled_value> value = try_out(*opened.counter, least);
  if (!value) {
    return {.reason =
                "the kernel never scheduled it: another profiler or the NMI watchdog holds "
                "the hardware counters (`sysctl kernel.nmi_watchdog=0`)"};
  }
  if (value->value < least) {
    return {.reason = "opens, but counts nothing plausible: known work read " +
                      std::to_string(value->value) + ", at least " + std::to_string(least) +
                      " is certain",
            .is_stuck = value->value == 0};
  }
  return {};
}

}  // namespace weft::counters::detail
