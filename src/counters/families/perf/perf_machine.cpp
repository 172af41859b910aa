// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that all /perf counters share: the kernel, and facts about it.
#include "counters/families/perf/perf_machine.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <linux/perf_event.h>

#include "weft/counters/counter.hpp"

#include "counters/core/worker_threads.hpp"
#include "counters/families/perf/known_work.hpp"
#include "counters/families/perf/machine_facts.hpp"
#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_events.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_plan.hpp"

namespace weft::counters::detail {
namespace {

constexpr int most_tries = 20;  // tries of known work while an event has not counted enough

bool is_software(const event_code& code) noexcept { return code.type == PERF_TYPE_SOFTWARE; }

/// Counts known work; nothing if the kernel never scheduled the events.
std::optional<double> try_out(perf_kernel& kernel, std::vector<open_event>& events, double least) {
  std::optional<double> value;
  for (open_event& each : events) {
    kernel.set(each.descriptor(), event_state::counting);
  }
  for (int i = 0; i < most_tries && value.value_or(-1) < least; ++i) {
    known_work();
    extrapolated_sum sum;
    double running_ns = 0;
    for (open_event& each : events) {
      const raw_count raw = each.counted({}).value_or(raw_count{});
      sum.add(raw, each.unit_per_count());
      running_ns += static_cast<double>(raw.running_ns);
    }
    value = running_ns > 0 ? std::optional(sum.value) : std::nullopt;
  }
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
  std::vector<open_event> events;
  for (const event_place& place : places) {
    const int descriptor = kernel_->open(describe(place.code, descent::alone),
                                         {.thread_id = place.thread_id, .cpu = place.cpu});
    if (descriptor < 0) {
      const int code = -descriptor;
      return {.reason = explain_open_error(descriptor, needed, machine_),
              .is_lasting = code != EMFILE && code != ENFILE && code != EBUSY};
    }
    events.emplace_back(*kernel_, descriptor, place.unit_per_count, 0);
  }
  const std::optional<double> value = try_out(*kernel_, events, least);
  if (!value) {
    return {.reason =
                "the kernel never scheduled it: another profiler or the NMI watchdog holds "
                "the hardware counters (`sysctl kernel.nmi_watchdog=0`)"};
  }
  if (*value < least) {
    return {.reason = "opens, but counts nothing plausible: known work read " +
                      std::to_string(*value) + ", at least " + std::to_string(least) +
                      " is certain",
            .is_stuck = *value == 0};
  }
  return {};
}

machine_facts perf_machine::facts() const { return read_machine_facts(root()); }

std::string perf_machine::refusal(const perf_plan& plan) {
  if (!plan.reason.empty()) {
    return plan.reason;
  }
  const std::scoped_lock lock(mutex_);
  if (proof_ == nullptr) {
    proof_ = std::make_unique<perf_proof>(kernel(), facts());
  }
  if (!plan.places.empty()) {
    return proof_->refusal(plan.places);
  }
  for (const event_code& code : plan.events) {
    if (std::string reason = proof_->refusal(code, plan.least); !reason.empty()) {
      return reason;
    }
  }
  return {};
}

std::shared_ptr<const std::vector<worker_thread>> perf_machine::workers(evaluation& now) const {
  using workers_now = std::vector<worker_thread>;
  return now.once<workers_now>(
      this, [this] { return std::make_shared<const workers_now>(surroundings_.workers()); });
}

event_leaders& perf_machine::leaders(evaluation& now) const {
  // Mutable, because the evaluation keeps constant objects, which all users of one reading share.
  struct shared {
    mutable event_leaders leaders;
  };
  return now.once<shared>(&leaders_key_, [] { return std::make_shared<const shared>(); })->leaders;
}

}  // namespace weft::counters::detail
