// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transfers of cache lines, and a machine of packages, shared caches and cores.
#include "lab/scaling/simulated/modelled_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "weft/base/topology.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "lab/scaling/simulated/model_options.hpp"

namespace weft::lab::scaling::simulated {
namespace {

base::topology topology_of(unsigned num_workers, const machine_shape& shape) {
  base::topology machine;
  for (int id = 0; std::cmp_less(id, num_workers); ++id) {
    const int package = id / shape.cores_per_package;
    machine.hardware_threads.push_back(
        {.id = id, .core = id, .package = package, .numa_node = package});
    machine.cores.push_back({.hardware_threads = {id}, .kind = ""});
    machine.affinity.push_back(id);
    if (id % shape.cores_per_package % shape.cores_per_cache == 0) {
      machine.caches.push_back({.level = 3, .hardware_threads = {}});
    }
    machine.caches.back().hardware_threads.push_back(id);
    if (id % shape.cores_per_package == 0) {
      machine.numa_nodes.push_back({.id = package, .memory_bytes = {}, .hardware_threads = {}});
    }
    machine.numa_nodes.back().hardware_threads.push_back(id);
  }
  return machine;
}

}  // namespace

made_up_machine make_machine(unsigned num_workers, const machine_shape& shape, victim_order order) {
  const base::topology machine = topology_of(num_workers, shape);
  weft::tasks::placement_plan plan = weft::tasks::place_workers(
      machine, {.workers = static_cast<int>(num_workers), .bind = bind_policy::compact});
  weft::tasks::placement_plan unbound = plan;
  unbound.bind = bind_policy::none;
  made_up_machine result;
  result.distances.resize(std::size_t{num_workers} * num_workers, weft::tasks::distance::core);
  for (unsigned i = 0; i < num_workers; ++i) {
    auto groups = weft::tasks::steal_order(plan, machine, static_cast<int>(i));
    for (const weft::tasks::victim_group& group : groups) {
      for (const int other : group.workers) {
        result.distances[std::size_t{i} * num_workers + static_cast<std::size_t>(other)] =
            group.far;
      }
    }
    result.victims.push_back(order == victim_order::near
                                 ? std::move(groups)
                                 : weft::tasks::steal_order(unbound, machine, static_cast<int>(i)));
  }
  return result;
}

modelled_lines::modelled_lines(const made_up_machine& machine,
                               unsigned num_workers,
                               const step_costs& costs)
    : machine_(machine),
      costs_(costs),
      num_workers_(num_workers),
      lines_(num_line_kinds * std::size_t{num_workers} + num_shared_lines),
      seen_(lines_.size() * num_workers, none) {
  for (std::size_t line = 0; line < num_line_kinds * std::size_t{num_workers}; ++line) {
    lines_[line].owner = static_cast<std::uint32_t>(line % num_workers);
    seen(lines_[line].owner, line) = 0;
  }
}

nanoseconds modelled_lines::latency(unsigned from, unsigned to) const {
  switch (machine_.distances[std::size_t{from} * num_workers_ + to]) {
    case weft::tasks::distance::core:
      return costs_.line_core;
    case weft::tasks::distance::l2:
    case weft::tasks::distance::l3:
      return costs_.line_cache;
    case weft::tasks::distance::numa_node:
    case weft::tasks::distance::package:
      return costs_.line_package;
    default:
      return costs_.line_machine;
  }
}

void modelled_lines::count_visit(unsigned worker,
                                 std::size_t line,
                                 operation_counts& counts) const {
  const std::size_t num_own = num_line_kinds * std::size_t{num_workers_};
  counts.visited += line < num_own && line % num_workers_ == worker ? 0 : 1;
}

nanoseconds modelled_lines::read(unsigned worker,
                                 std::size_t line,
                                 nanoseconds now,
                                 operation_counts& counts) {
  count_visit(worker, line, counts);
  state& at = lines_[line];
  std::uint32_t& mine = seen(worker, line);
  if (mine == at.version) {
    return nanoseconds(0);
  }
  mine = at.version;
  if (at.owner == none) {  // the first access
    at.owner = worker;
    return nanoseconds(0);
  }
  ++counts.moved;
  ++at.num_readers;
  at.last_reader = worker;
  const nanoseconds begin = std::max(now, at.free_at);
  at.free_at = begin + costs_.read_gap;
  return begin - now + latency(at.owner, worker);
}

nanoseconds modelled_lines::write(unsigned worker,
                                  std::size_t line,
                                  nanoseconds now,
                                  operation_counts& counts) {
  count_visit(worker, line, counts);
  state& at = lines_[line];
  std::uint32_t& mine = seen(worker, line);
  const bool is_owned = at.owner == worker || at.owner == none;
  const unsigned from = is_owned ? at.last_reader : at.owner;
  at.owner = worker;
  if (is_owned && at.num_readers == 0) {
    mine = at.version;
    return std::max(at.free_at - now, nanoseconds(0));
  }
  ++counts.moved;
  mine = ++at.version;
  at.num_readers = 0;
  const nanoseconds begin = std::max(now, at.free_at);
  at.free_at = begin + latency(from, worker);
  return at.free_at - now;
}

void modelled_lines::hold(std::size_t line, nanoseconds end) {
  lines_[line].free_at = std::max(lines_[line].free_at, end);
}

nanoseconds modelled_lines::pass(unsigned from, unsigned to, operation_counts& counts) const {
  if (from == to) {
    return nanoseconds(0);
  }
  ++counts.visited;
  ++counts.moved;
  return latency(from, to);
}

}  // namespace weft::lab::scaling::simulated
