// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the machine's parts through hwloc.
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <hwloc.h>
#include <hwloc/bitmap.h>

#include "weft/base/topology.hpp"

#include "base/machine_parts.hpp"

namespace weft::detail {
namespace {

struct destroy {
  void operator()(hwloc_topology* topology) const noexcept { hwloc_topology_destroy(topology); }
};
using hwloc_handle = std::unique_ptr<hwloc_topology, destroy>;

/// Loads the whole machine, including parts that this process may not use.
hwloc_handle load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return nullptr;
  }
  hwloc_handle topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_ALL);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

std::vector<int> ids(hwloc_const_cpuset_t set) {
  std::vector<int> result;
  for (int id = hwloc_bitmap_first(set); id >= 0; id = hwloc_bitmap_next(set, id)) {
    result.push_back(id);
  }
  return result;
}

template <class Visit>
void for_each_object(hwloc_topology_t topology, hwloc_obj_type_t type, Visit visit) {
  for (hwloc_obj_t object = hwloc_get_next_obj_by_type(topology, type, nullptr); object != nullptr;
       object = hwloc_get_next_obj_by_type(topology, type, object)) {
    visit(*object);
  }
}

std::vector<placed_thread> read_threads(hwloc_topology_t topology) {
  std::vector<placed_thread> threads;
  for_each_object(topology, HWLOC_OBJ_PU, [&](hwloc_obj& pu) {
    const hwloc_obj* core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, &pu);
    const hwloc_obj* package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, &pu);
    const auto id = static_cast<int>(pu.os_index);
    threads.push_back({.id = id,
                       .core_leader = core == nullptr ? id : hwloc_bitmap_first(core->cpuset),
                       .package = package == nullptr || package->os_index == HWLOC_UNKNOWN_INDEX
                                      ? 0
                                      : static_cast<int>(package->os_index)});
  });
  return threads;
}

base::cache_kind kind_of(hwloc_obj_cache_type_t type) {
  switch (type) {
    case HWLOC_OBJ_CACHE_DATA:
      return base::cache_kind::data;
    case HWLOC_OBJ_CACHE_INSTRUCTION:
      return base::cache_kind::instruction;
    default:
      return base::cache_kind::unified;
  }
}

std::vector<base::cache> read_caches(hwloc_topology_t topology) {
  std::vector<base::cache> caches;
  for (int type = HWLOC_OBJ_L1CACHE; type <= HWLOC_OBJ_L3ICACHE; ++type) {
    for_each_object(topology, static_cast<hwloc_obj_type_t>(type), [&](hwloc_obj& object) {
      const hwloc_obj_attr_u::hwloc_cache_attr_s& facts = object.attr->cache;
      caches.push_back({.level = static_cast<int>(facts.depth),
                        .kind = kind_of(facts.type),
                        .size_bytes = static_cast<std::int64_t>(facts.size),
                        .line_bytes = static_cast<int>(facts.linesize),
                        .hardware_threads = ids(object.cpuset)});
    });
  }
  return caches;
}

std::vector<base::numa_node> read_numa_nodes(hwloc_topology_t topology) {
  std::vector<base::numa_node> nodes;
  for_each_object(topology, HWLOC_OBJ_NUMANODE, [&](hwloc_obj& object) {
    nodes.push_back({.id = static_cast<int>(object.os_index),
                     .memory_bytes = static_cast<std::int64_t>(object.attr->numanode.local_memory),
                     .hardware_threads = ids(object.cpuset)});
  });
  return nodes;
}

}  // namespace

std::optional<machine_parts> read_hwloc_parts() {
  const hwloc_handle topology = load();
  if (topology == nullptr) {
    return std::nullopt;
  }
  return machine_parts{.threads = read_threads(topology.get()),
                       .caches = read_caches(topology.get()),
                       .numa_nodes = read_numa_nodes(topology.get())};
}

}  // namespace weft::detail
