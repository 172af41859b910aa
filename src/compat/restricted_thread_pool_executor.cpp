// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the workers of a restricted pool.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hpx/compat/restricted_thread_pool_executor.hpp>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace hpx {

namespace {

weft::runtime_options options_for(std::vector<int> cpus) {
  std::ranges::sort(cpus);
  const auto repeated = std::ranges::unique(cpus);
  cpus.erase(repeated.begin(), repeated.end());
  if (cpus.empty()) {
    throw weft::error("a restricted_thread_pool_executor without CPUs: give it one at least");
  }
  weft::runtime_options options = weft::runtime_options_from_environment();
  options.workers = static_cast<int>(cpus.size());
  options.bind = weft::bind_policy::compact;
  options.smt = weft::smt_policy::all_threads;
  options.cpus = std::move(cpus);
  return options;
}

}  // namespace

compat::own_runtime::own_runtime(const std::vector<int>& cpus)
    : workers(std::make_shared<weft::runtime>(options_for(cpus))) {}

std::vector<int> execution::experimental::restricted_thread_pool_executor::usable(
    std::size_t first, std::size_t count) {
  const weft::tasks::placement_plan plan = weft::tasks::place_workers(
      weft::base::read_topology(),
      weft::tasks::placement_request_from(weft::runtime_options_from_environment()));
  const std::size_t all = plan.process_cpus.size();
  if (count == 0 || first >= all || count > all - first) {
    throw weft::error(std::to_string(count) + " CPUs from index " + std::to_string(first) +
                      " on: this process may use " + std::to_string(all) +
                      "; a restricted_thread_pool_executor takes 1 at least and those from 0 on");
  }
  const auto begin = plan.process_cpus.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace hpx
