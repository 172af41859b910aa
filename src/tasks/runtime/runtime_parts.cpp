// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts runtimes for sets of CPUs.
#include "tasks/runtime/runtime_parts.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft {
namespace tasks::detail {

runtime& runtime_parts::on(std::vector<int> cpus) {
  if (cpus.empty()) {
    throw error("no CPUs: runtime::on_cpus takes one at least, for example on_cpus({0, 1})");
  }
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::unique(cpus);
  cpus.erase(repeated.begin(), repeated.end());
  const std::lock_guard guard(mutex_);
  std::unique_ptr<runtime>& found = all_[cpus];
  if (found == nullptr) {
    runtime_options options = whole_;
    options.name.clear();
    options.workers = static_cast<int>(cpus.size());
    options.bind = bind_policy::compact;
    options.smt = smt_policy::all_threads;
    options.cpus = std::move(cpus);
    found = std::make_unique<runtime>(options);
  }
  return *found;
}

void runtime_parts::add_to(std::vector<scheduler*>& all) {
  std::vector<runtime*> started;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [cpus, part] : all_) {
      if (part != nullptr) {
        started.push_back(part.get());
      }
    }
  }
  for (runtime* const part : started) {
    all.push_back(&runtime_access::of(*part));
    runtime_access::parts_of(*part).add_to(all);
  }
}

namespace {

/// A runtime with its parts, and the sum of the tasks that they got from outside.
struct family {
  std::vector<scheduler*> members;
  std::uint64_t num_from_outside = 0;

  explicit family(runtime& whole) : members{&runtime_access::of(whole)} {
    runtime_access::parts_of(whole).add_to(members);
    for (const scheduler* each : members) {
      num_from_outside += each->num_from_outside();
    }
  }
  friend bool operator==(const family&, const family&) = default;
};

}  // namespace

void wait_until_all_idle(runtime& whole) {
  family now(whole);
  for (;;) {
    for (scheduler* const each : now.members) {
      each->refuse_end_by_own_task();
      each->begin_end();
      each->wait_until_quiescent();
    }
    // Each member was idle at some moment since `now` was taken. Only a task from outside could
    // give it work again.
    if (family later(whole); later != now) {
      now = std::move(later);
      continue;
    }
    return;
  }
}

}  // namespace tasks::detail

runtime& runtime::on_cpus(std::vector<int> cpus) { return parts_->on(std::move(cpus)); }

runtime& runtime::on_numa_node(int node) {
  return on_cpus(tasks::cpus_of_numa_node(
      base::read_topology(), tasks::placement_request_from(parts_->whole()), node));
}

}  // namespace weft
