// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how many workers a runtime has and on which CPUs each may run.
#include "weft/tasks/placement.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "tasks/runtime/runtime_options.hpp"

namespace weft::tasks {

namespace {

using cpu_set = std::vector<int>;  // hardware thread ids, ascending

/// The places for workers on one core.
struct core_places {
  int numa_node = 0;
  int package = 0;
  std::vector<cpu_set> places;
};

cpu_set online_cpus(const base::topology& machine) {
  cpu_set all;
  for (const base::hardware_thread& thread : machine.hardware_threads) {
    all.push_back(thread.id);
  }
  return all;
}

cpu_set intersection(const cpu_set& a, const cpu_set& b) {
  cpu_set both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

/// Returns the cores of `cpus`, ordered so that neighbours share a package and a NUMA node.
std::vector<core_places> cores_of(const base::topology& machine,
                                  const cpu_set& cpus,
                                  smt_policy smt) {
  std::map<std::tuple<int, int, int>, core_places> by_place;  // NUMA node, package, core
  for (const base::hardware_thread& thread : machine.hardware_threads) {
    if (!std::ranges::binary_search(cpus, thread.id)) {
      continue;
    }
    core_places& on = by_place[{thread.numa_node, thread.package, thread.core}];
    on.numa_node = thread.numa_node;
    on.package = thread.package;
    if (smt == smt_policy::all_threads || on.places.empty()) {
      on.places.emplace_back();
    }
    on.places.back().push_back(thread.id);
  }
  std::vector<core_places> cores;
  cores.reserve(by_place.size());
  for (auto& [place, core] : by_place) {
    cores.push_back(std::move(core));
  }
  return cores;
}

std::size_t num_places(const std::vector<core_places>& cores) {
  std::size_t number = 0;
  for (const core_places& core : cores) {
    number += core.places.size();
  }
  return number;
}

/// Returns this rank's cores of `cpus`. Each rank gets the same number of neighbouring cores.
cpu_set part_of_rank(const base::topology& machine, const cpu_set& cpus, const local_ranks& ranks) {
  const std::vector<core_places> cores = cores_of(machine, cpus, smt_policy::one_per_core);
  const auto num_ranks = static_cast<std::size_t>(ranks.num_ranks);
  const auto rank = static_cast<std::size_t>(ranks.rank);
  const std::size_t first = rank * cores.size() / num_ranks;
  const std::size_t last = std::max(first + 1, (rank + 1) * cores.size() / num_ranks);
  cpu_set part;
  for (std::size_t i = first; i < last; ++i) {
    const cpu_set& threads = cores[i].places.front();
    part.insert(part.end(), threads.begin(), threads.end());
  }
  std::ranges::sort(part);
  return part;
}

cpu_set mask_of(const base::topology& machine) {
  const cpu_set all = online_cpus(machine);
  cpu_set mask = intersection(machine.affinity, all);
  return mask.empty() ? all : mask;  // unknown: the kernel refuses what is not allowed
}

std::string ranks_text(const local_ranks& ranks) {
  return std::to_string(ranks.num_ranks) + " ranks share this node (" + ranks.source + ")";
}

/// Gives this rank its part of the CPUs that all ranks share. Warns if ranks have to share CPUs.
cpu_set settle_ranks(const base::topology& machine,
                     const placement_request& request,
                     const cpu_set& mask,
                     std::vector<std::string>& warnings) {
  if (!request.ranks || request.ranks->num_ranks <= 1) {
    return mask;
  }
  const local_ranks& ranks = *request.ranks;
  const auto num_ranks = static_cast<std::size_t>(ranks.num_ranks);
  const cpu_set all = online_cpus(machine);
  const cpu_set shared = request.shared_cpus ? intersection(*request.shared_cpus, all) : all;
  if (mask == shared) {
    const std::size_t num_cores = cores_of(machine, mask, smt_policy::one_per_core).size();
    if (num_ranks > num_cores) {
      warnings.push_back(ranks_text(ranks) + ", which has " + std::to_string(num_cores) +
                         " usable cores: some ranks share a core; start fewer ranks per node.");
    }
    return part_of_rank(machine, mask, ranks);
  }
  if (mask.size() * num_ranks > shared.size()) {
    warnings.push_back(
        ranks_text(ranks) + " and its " + std::to_string(shared.size()) +
        " CPUs, but this rank's affinity mask holds " + std::to_string(mask.size()) +
        " of them: masks overlap; let the launcher bind each rank to CPUs of its own, "
        "or to all of them and weft divides them.");
  }
  return mask;
}

std::string numbers_text(const cpu_set& numbers) {
  std::string all;
  for (const int each : numbers) {
    all += ' ' + std::to_string(each);
  }
  return all;
}

/// Returns `wanted`, ascending and without duplicates.
/// Errors:  `weft::error` for a CPU that is not in `usable`.
cpu_set chosen_cpus(cpu_set wanted, const cpu_set& usable) {
  std::ranges::sort(wanted);
  const auto repeated = std::ranges::unique(wanted);
  wanted.erase(repeated.begin(), repeated.end());
  for (const int cpu : wanted) {
    if (!std::ranges::binary_search(usable, cpu)) {
      throw error("CPU " + std::to_string(cpu) +
                  " is not one that this process may use; runtime_options::cpus takes those of" +
                  numbers_text(usable));
    }
  }
  return wanted;
}

/// Returns the default number of workers, and the reason for it.
base::cpu_share default_workers(const base::topology& machine,
                                const placement_request& request,
                                const cpu_set& cpus,
                                std::size_t places) {
  base::topology own = machine;
  own.affinity = cpus;
  const bool has_ranks = request.ranks && request.ranks->num_ranks > 1;
  if (own.quota_cpus && has_ranks) {
    *own.quota_cpus /= request.ranks->num_ranks;
  }
  base::cpu_share share = own.usable_cpus();
  if (has_ranks) {
    share.source += ", part of rank " + std::to_string(request.ranks->rank) + " of " +
                    std::to_string(request.ranks->num_ranks) + " by " + request.ranks->source;
  }
  if (static_cast<int>(places) < share.cpus) {
    share = {.cpus = static_cast<int>(places), .source = share.source + ", one per core"};
  }
  return share;
}

void check_number(int workers, const base::topology& machine) {
  const auto num_cpus = static_cast<int>(machine.hardware_threads.size());
  const int most = detail::most_workers(num_cpus);
  if (workers < 1 || workers > most) {
    throw error(std::to_string(workers) + " workers on " + std::to_string(num_cpus) +
                " CPUs: a runtime has 1 to " + std::to_string(most) +
                " workers; change --weft:workers, WEFT_WORKERS or runtime_options::workers");
  }
}

std::vector<cpu_set> compact_order(const std::vector<core_places>& cores) {
  std::vector<cpu_set> order;
  for (const core_places& core : cores) {
    order.insert(order.end(), core.places.begin(), core.places.end());
  }
  return order;
}

std::vector<cpu_set> scatter_order(const std::vector<core_places>& cores) {
  std::map<std::pair<int, int>, int> cores_seen;  // by NUMA node and package
  std::map<std::tuple<std::size_t, int, int, int>, cpu_set>
      by_urgency;  // key: sibling, core, node, package
  for (const core_places& core : cores) {
    const int index = cores_seen[{core.numa_node, core.package}]++;
    for (std::size_t i = 0; i < core.places.size(); ++i) {
      by_urgency[{i, index, core.numa_node, core.package}] = core.places[i];
    }
  }
  std::vector<cpu_set> order;
  order.reserve(by_urgency.size());
  for (const auto& [urgency, place] : by_urgency) {
    order.push_back(place);
  }
  return order;
}

/// Returns how many of `workers` each core gets: equally many, as far as the cores have places.
std::vector<std::size_t> balanced_numbers(const std::vector<core_places>& cores,
                                          std::size_t workers) {
  std::vector<std::size_t> numbers(cores.size(), 0);
  if (workers <= cores.size()) {
    for (std::size_t i = 0; i < workers; ++i) {
      numbers[i * cores.size() / workers] = 1;
    }
    return numbers;
  }
  const std::size_t places = num_places(cores);
  std::size_t rest = workers % places;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    numbers[i] = workers / places * cores[i].places.size();
  }
  for (std::size_t sibling = 0; rest > 0; ++sibling) {
    for (std::size_t i = 0; i < cores.size() && rest > 0; ++i) {
      const std::size_t given = sibling < cores[i].places.size() ? 1 : 0;
      numbers[i] += given;
      rest -= given;
    }
  }
  return numbers;
}

std::vector<cpu_set> balanced_order(const std::vector<core_places>& cores, std::size_t workers) {
  const std::vector<std::size_t> numbers = balanced_numbers(cores, workers);
  std::vector<cpu_set> order;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    for (std::size_t k = 0; k < numbers[i]; ++k) {
      order.push_back(cores[i].places[k % cores[i].places.size()]);
    }
  }
  return order;
}

/// Returns the places in the order in which workers take them, repeated as often as needed.
std::vector<cpu_set> order_of(bind_policy bind,
                              const std::vector<core_places>& cores,
                              std::size_t workers) {
  switch (bind) {
    case bind_policy::compact:
      return compact_order(cores);
    case bind_policy::scatter:
      return scatter_order(cores);
    case bind_policy::balanced:
      return balanced_order(cores, workers);
    case bind_policy::none:
      break;
  }
  cpu_set anywhere;
  for (const cpu_set& place : compact_order(cores)) {
    anywhere.insert(anywhere.end(), place.begin(), place.end());
  }
  std::ranges::sort(anywhere);
  return {anywhere};
}

}  // namespace

std::vector<int> cpus_of_numa_node(const base::topology& machine,
                                   const placement_request& request,
                                   int node) {
  const auto found = std::ranges::find(machine.numa_nodes, node, &base::numa_node::id);
  if (found == machine.numa_nodes.end()) {
    cpu_set nodes;
    std::ranges::transform(machine.numa_nodes, std::back_inserter(nodes), &base::numa_node::id);
    throw error("there is no NUMA node " + std::to_string(node) + "; this machine's are" +
                numbers_text(nodes));
  }
  std::vector<std::string> warnings;  // not reported: the caller has seen them before
  const cpu_set usable = settle_ranks(machine, request, mask_of(machine), warnings);
  cpu_set cpus = intersection(found->hardware_threads, usable);
  if (cpus.empty()) {
    throw error("NUMA node " + std::to_string(node) +
                " has no CPU that this process may use; those are" + numbers_text(usable));
  }
  return cpus;
}

bool needs_topology(const placement_request& request) noexcept {
  const bool shares_node = request.ranks && request.ranks->num_ranks > 1;
  return request.bind != bind_policy::none || request.smt != smt_policy::all_threads || shares_node;
}

placement_plan place_workers(const base::topology& machine, const placement_request& request) {
  const cpu_set mask = mask_of(machine);
  placement_plan plan;
  plan.bind = request.bind;
  plan.process_cpus = settle_ranks(machine, request, mask, plan.warnings);
  if (!request.cpus.empty()) {
    plan.process_cpus = chosen_cpus(request.cpus, plan.process_cpus);
  }
  const std::vector<core_places> cores = cores_of(machine, plan.process_cpus, request.smt);
  const std::size_t places = num_places(cores);
  const base::cpu_share number =
      request.workers ? base::cpu_share{.cpus = *request.workers, .source = "requested"}
                      : default_workers(machine, request, plan.process_cpus, places);
  check_number(number.cpus, machine);
  plan.workers_source = number.source;

  const auto workers = static_cast<std::size_t>(number.cpus);
  const std::vector<cpu_set> order = order_of(request.bind, cores, workers);
  for (std::size_t i = 0; i < workers; ++i) {
    plan.cpus.push_back(order[i % order.size()]);
  }
  plan.sets_affinity =
      std::ranges::any_of(plan.cpus, [&](const cpu_set& cpus) { return cpus != mask; });
  if (request.bind != bind_policy::none && workers > places) {
    plan.warnings.push_back(std::to_string(workers) + " workers are bound to " +
                            std::to_string(places) +
                            " places: some share one; ask for fewer workers, or for bind none.");
  }
  constexpr std::size_t most_per_cpu = 16;
  if (request.bind == bind_policy::none && workers > most_per_cpu * plan.process_cpus.size()) {
    plan.warnings.push_back(std::to_string(workers) + " workers share " +
                            std::to_string(plan.process_cpus.size()) +
                            " CPUs: tests may want that, measurements do not.");
  }
  return plan;
}

}  // namespace weft::tasks
