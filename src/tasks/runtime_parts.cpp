// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts workers for sets of CPUs.
#include "tasks/runtime_parts.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

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

bool runtime_parts::wait_until_idle() {
  std::vector<runtime*> started;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [cpus, part] : all_) {
      if (part != nullptr) {
        started.push_back(part.get());
      }
    }
  }
  // Without the lock: their tasks may ask for other parts.
  for (runtime* const part : started) {
    part->wait_until_idle();
  }
  return !started.empty();
}

}  // namespace tasks::detail

runtime& runtime::on_cpus(std::vector<int> cpus) { return parts_->on(std::move(cpus)); }

runtime& runtime::on_numa_node(int node) {
  return parts_->on(tasks::cpus_of_numa_node(
      read_topology(), tasks::placement_request_from(parts_->whole()), node));
}

}  // namespace weft
