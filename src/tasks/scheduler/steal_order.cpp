// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Orders a worker's victims by the hardware that they share with it.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "weft/base/topology.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft::tasks {

namespace {

constexpr auto num_levels = static_cast<std::size_t>(distance::machine);

/// The parts of the machine that a hardware thread belongs to, by distance: core, L2, L3, NUMA
/// node, package.
using membership = std::array<std::optional<int>, num_levels>;

std::optional<int>& part(membership& of, distance level) {
  return of[static_cast<std::size_t>(level)];
}

std::map<int, membership> memberships(const base::topology& machine) {
  std::map<int, membership> result;
  for (const base::hardware_thread& thread : machine.hardware_threads) {
    membership& of = result[thread.id];
    part(of, distance::core) = thread.core;
    part(of, distance::numa_node) = thread.numa_node;
    part(of, distance::package) = thread.package;
  }
  for (const base::cache& each : machine.caches) {
    if (each.level < 2 || each.kind == base::cache_kind::instruction) {
      continue;
    }
    for (const int id : each.hardware_threads) {
      part(result[id], each.level == 2 ? distance::l2 : distance::l3) =
          each.hardware_threads.front();
    }
  }
  return result;
}

distance distance_between(const membership& a, const membership& b) {
  for (std::size_t level = 0; level < num_levels; ++level) {
    if (a[level] && a[level] == b[level]) {
      return static_cast<distance>(level);
    }
  }
  return distance::machine;
}

/// Returns the distance of the two CPUs that are farthest apart.
distance distance_between(const std::vector<int>& a,
                          const std::vector<int>& b,
                          const std::map<int, membership>& members) {
  distance farthest = distance::core;
  for (const int from : a) {
    for (const int to : b) {
      farthest = std::max(farthest, distance_between(members.at(from), members.at(to)));
    }
  }
  return farthest;
}

}  // namespace

std::vector<victim_group> steal_order(const placement_plan& plan,
                                      const base::topology& machine,
                                      int worker) {
  assert(worker >= 0 && worker < plan.num_workers());
  const std::map<int, membership> members = memberships(machine);
  const auto thief = static_cast<std::size_t>(worker);
  const std::size_t num_workers = plan.cpus.size();
  std::map<distance, victim_group> by_distance;
  for (std::size_t i = 1; i < num_workers; ++i) {
    const std::size_t victim = (thief + i) % num_workers;
    const distance far = plan.bind == bind_policy::none
                             ? distance::unknown
                             : distance_between(plan.cpus[thief], plan.cpus[victim], members);
    by_distance[far].far = far;
    by_distance[far].workers.push_back(static_cast<int>(victim));
  }
  std::vector<victim_group> groups;
  groups.reserve(by_distance.size());
  for (const auto& [far, group] : by_distance) {
    groups.push_back(group);
  }
  return groups;
}

}  // namespace weft::tasks
