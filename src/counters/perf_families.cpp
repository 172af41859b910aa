// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of kernel events and of the processor's hardware: /perf.
#include "counters/perf_families.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/event_source.hpp"
#include "counters/machine_facts.hpp"
#include "counters/perf_counter.hpp"
#include "counters/perf_events.hpp"
#include "counters/perf_machine.hpp"
#include "counters/perf_plan.hpp"
#include "counters/perf_traffic.hpp"
#include "counters/proc_counter.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {
namespace {

using shared_machine = std::shared_ptr<perf_machine>;
using planner = std::function<perf_plan(const counter_name&)>;

/// The worker that a name means; none for the total.
std::optional<counter_name> worker_of(const counter_name& name) {
  return name.instance.back().name == "worker-thread" ? std::optional(name) : std::nullopt;
}

void refuse_parameters(const counter_name& name) {
  if (!name.parameters.empty()) {
    throw error("counter " + type_name(name) + " takes no parameters; leave out \"@" +
                name.parameters + '"');
  }
}

std::vector<counter_name> total_and_workers(const counter_type& type,
                                            const shared_machine& machine) {
  std::vector<counter_name> names{total_of(type)};
  for (const worker_thread& worker : machine->workers()) {
    counter_name name = parse_counter_name(type.name);
    name.instance = instance_of(worker);
    names.push_back(std::move(name));
  }
  return names;
}

perf_reading reading_of(const counter_type& type) {
  return type.kind == counter_kind::quotient ? perf_reading::rate_per_s : perf_reading::count;
}

std::function<std::unique_ptr<counter>(const counter_name&)> maker(const counter_type& type,
                                                                   const shared_machine& machine,
                                                                   planner plan) {
  return [reading = reading_of(type), machine, plan = std::move(plan)](const counter_name& name) {
    refuse_parameters(name);
    return std::make_unique<perf_counter>(machine, plan(name), worker_of(name), reading);
  };
}

counter_family thread_family(const counter_type& type,
                             const shared_machine& machine,
                             planner plan) {
  return {.type = type,
          .instances = [type, machine] { return total_and_workers(type, machine); },
          .make = maker(type, machine, std::move(plan))};
}

/// Of the whole machine: there is a total alone.
counter_family machine_family(const counter_type& type,
                              const shared_machine& machine,
                              planner plan) {
  return {.type = type,
          .instances = [type] { return std::vector{total_of(type)}; },
          .make = maker(type, machine, std::move(plan))};
}

counter_family event_family(const perf_event_row& row, const shared_machine& machine) {
  return thread_family({.name = "/perf/" + std::string(row.name),
                        .unit = std::string(row.unit),
                        .help = std::string(row.help),
                        .kind = counter_kind::total},
                       machine,
                       [&row, machine](const counter_name& /*name*/) {
                         return plan_event(row.name, machine->root());
                       });
}

counter_family open_family(const shared_machine& machine) {
  const counter_type type{.name = "/perf/*",
                          .unit = "",
                          .help =
                              "Any event: rNNNN for a code of the processor, UNIT/TERMS as "
                              "`perf list` writes them, names of libpfm4; user mode.",
                          .kind = counter_kind::total};
  return {.type = type,
          .instances = [] { return std::vector<counter_name>(); },
          .make = maker(type,
                        machine,
                        [machine](const counter_name& name) {
                          return plan_event(name.counter, machine->root());
                        }),
          .is_open = true};
}

/// Says in the help what the processor at hand counts.
std::function<counter_type(const counter_name&)> with_events(counter_type type,
                                                             const shared_machine& machine) {
  return [type = std::move(type), machine](const counter_name& /*name*/) {
    const machine_facts facts = machine->facts();
    const traffic_events* events = find_traffic(facts.vendor, facts.family, facts.model);
    counter_type here = type;
    if (events != nullptr) {
      here.help += " Here: " + std::string(events->counts) + '.';
    }
    return here;
  };
}

void add_traffic_families(std::vector<counter_family>& families, const shared_machine& machine) {
  const planner plan = [machine](const counter_name& /*name*/) {
    return plan_traffic(machine->facts());
  };
  const std::string what =
      "Bytes, in lines of 64, that cores asked for beyond their own caches: OFFCORE_REQUESTS of "
      "Intel, "
      "misses of the L2 cache of AMD, refills of the L2 cache of Arm; user mode, no write-backs.";
  for (const counter_type& type : {counter_type{.name = "/perf/offcore-bytes",
                                                .unit = "bytes",
                                                .help = what,
                                                .kind = counter_kind::total},
                                   counter_type{.name = "/perf/offcore-bandwidth",
                                                .unit = "bytes/s",
                                                .help = what + " Over time.",
                                                .kind = counter_kind::quotient}}) {
    families.push_back(thread_family(type, machine, plan));
    families.back().type_of = with_events(type, machine);
  }
}

void add_memory_family(std::vector<counter_family>& families,
                       const shared_machine& machine,
                       const counter_type& type,
                       std::vector<memory_direction> directions) {
  families.push_back(machine_family(
      type, machine, [machine, directions = std::move(directions)](const counter_name& /*name*/) {
        return plan_memory(machine->root(), directions);
      }));
}

void add_memory_families(std::vector<counter_family>& families, const shared_machine& machine) {
  using enum memory_direction;
  add_memory_family(families,
                    machine,
                    {.name = "/perf/memory-read",
                     .unit = "bytes",
                     .help = "What the memory controllers read, for all processes.",
                     .kind = counter_kind::total},
                    {read});
  add_memory_family(families,
                    machine,
                    {.name = "/perf/memory-written",
                     .unit = "bytes",
                     .help = "What the memory controllers wrote, for all processes.",
                     .kind = counter_kind::total},
                    {write});
  add_memory_family(families,
                    machine,
                    {.name = "/perf/memory-bandwidth",
                     .unit = "bytes/s",
                     .help = "What the memory controllers read and wrote, for all processes, over "
                             "time.",
                     .kind = counter_kind::quotient},
                    {read, write});
}

}  // namespace

std::vector<counter_family> perf_families(perf_surroundings surroundings) {
  const auto machine = std::make_shared<perf_machine>(std::move(surroundings));
  std::vector<counter_family> families;
  for (const perf_event_row& row : perf_event_rows()) {
    families.push_back(event_family(row, machine));
  }
  add_traffic_families(families, machine);
  add_memory_families(families, machine);
  families.push_back(open_family(machine));
  return families;
}

}  // namespace weft::counters::detail
