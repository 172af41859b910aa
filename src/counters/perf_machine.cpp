// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all counters of the /perf family share: the kernel, and what is known of it.
#include "counters/perf_machine.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "weft/counters/counter.hpp"

#include "counters/event_counter.hpp"
#include "counters/machine_facts.hpp"
#include "counters/perf_plan.hpp"
#include "counters/perf_proof.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {

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
  // the evaluation keeps it; what it keeps is constant to those who share a reading of it
  struct shared {
    mutable event_leaders leaders;
  };
  return now.once<shared>(&leaders_key_, [] { return std::make_shared<const shared>(); })->leaders;
}

}  // namespace weft::counters::detail
