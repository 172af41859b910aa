// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of kernel events and of the processor's hardware: /perf.
#include "counters/families/perf/perf_families.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_rows.hpp"
#include "counters/core/worker_threads.hpp"
#include "counters/families/perf/cpu_events.hpp"
#include "counters/families/perf/event_source.hpp"
#include "counters/families/perf/machine_facts.hpp"
#include "counters/families/perf/perf_counter.hpp"
#include "counters/families/perf/perf_events.hpp"
#include "counters/families/perf/perf_machine.hpp"
#include "counters/families/perf/perf_plan.hpp"
#include "counters/families/perf/perf_traffic.hpp"

namespace weft::counters::detail {
namespace {

using shared_machine = std::shared_ptr<perf_machine>;
using planner = std::function<perf_plan(const counter_name&)>;

/// Whether a counter has only a total, or also one instance per worker.
enum class perf_scope : std::uint8_t { machine, workers };

/// A counter whose events depend on the processor or on the machine's units.
struct machine_row {
  std::string_view name;
  std::string_view unit;
  counter_kind kind;
  perf_scope scope;
  perf_plan (*plan)(const perf_machine& machine);
  std::string_view help;
};

template <fp_event event>
perf_plan floating_point(const perf_machine& machine) {
  return plan_fp(machine.facts(), event);
}

template <memory_direction... directions>
perf_plan memory(const perf_machine& machine) {
  return plan_memory(machine.root(), {directions...});
}

perf_plan traffic(const perf_machine& machine) { return plan_traffic(machine.facts()); }

using enum counter_kind;
using enum memory_direction;

// One counter per width of floating-point instructions, not per width and type. All eight together
// would not fit the hardware's counters, and multiplexing would make all of them inexact.
// clang-format off
constexpr std::array machine_rows{
machine_row{"/perf/offcore-bytes", "bytes", total, perf_scope::workers, traffic,
  "Bytes, in lines of 64, that cores asked for beyond their own caches: OFFCORE_REQUESTS of Intel, misses of the L2 cache of AMD, refills of the L2 cache of Arm; user mode, no write-backs."},
machine_row{"/perf/offcore-bandwidth", "bytes/s", quotient, perf_scope::workers, traffic,
  "Bytes, in lines of 64, that cores asked for beyond their own caches: OFFCORE_REQUESTS of Intel, misses of the L2 cache of AMD, refills of the L2 cache of Arm; user mode, no write-backs. Over time."},
machine_row{"/perf/memory-read", "bytes", total, perf_scope::machine, memory<read>,
  "Bytes that the memory controllers read, for all processes."},
machine_row{"/perf/memory-written", "bytes", total, perf_scope::machine, memory<write>,
  "Bytes that the memory controllers wrote, for all processes."},
machine_row{"/perf/memory-bandwidth", "bytes/s", quotient, perf_scope::machine, memory<read, write>,
  "Bytes per second that the memory controllers read and wrote, for all processes."},
machine_row{"/perf/fp-scalar", "", total, perf_scope::workers, floating_point<fp_event::scalar>,
  "Scalar floating-point instructions; Intel counts a fused multiply-add twice, AMD once, and moves too; user mode."},
machine_row{"/perf/fp-128", "", total, perf_scope::workers, floating_point<fp_event::packed_128>,
  "Floating-point instructions on 128 bits, of any element type: times lanes are operations; user mode."},
machine_row{"/perf/fp-256", "", total, perf_scope::workers, floating_point<fp_event::packed_256>,
  "Floating-point instructions on 256 bits, of any element type: times lanes are operations; user mode."},
machine_row{"/perf/fp-512", "", total, perf_scope::workers, floating_point<fp_event::packed_512>,
  "Floating-point instructions on 512 bits, of any element type: times lanes are operations; user mode."},
machine_row{"/perf/fp-operations", "", total, perf_scope::workers, floating_point<fp_event::operations>,
  "Floating-point operations of every lane of AMD; a fused multiply-add counts 2; user mode."},
};
// clang-format on

std::vector<counter_name> instances(const counter_type& type, const shared_machine& machine) {
  std::vector<counter_name> names{total_of(type)};
  for (const worker_thread& worker : machine->workers()) {
    names.push_back(names.front());
    names.back().instance = instance_of(worker);
  }
  return names;
}

std::unique_ptr<counter> make(counter_kind kind,
                              const shared_machine& machine,
                              const planner& plan,
                              const counter_name& name) {
  refuse_parameters(name);
  const bool is_worker = name.instance.back().name == "worker-thread";
  return std::make_unique<perf_counter>(
      machine,
      plan(name),
      is_worker ? std::optional(name) : std::nullopt,
      kind == quotient ? perf_reading::rate_per_s : perf_reading::count);
}

counter_family family_of(counter_type type,
                         perf_scope scope,
                         const shared_machine& machine,
                         planner plan) {
  counter_family family{.type = std::move(type), .instances = {}, .make = {}};
  family.instances = [type = family.type, scope, machine] {
    return scope == perf_scope::workers ? instances(type, machine) : std::vector{total_of(type)};
  };
  family.make = [kind = family.type.kind, machine, plan = std::move(plan)](
                    const counter_name& name) { return make(kind, machine, plan, name); };
  return family;
}

/// Returns the family of an event that the kernel translates.
counter_family family_of(const perf_event_row& row, const shared_machine& machine) {
  return family_of({.name = "/perf/" + std::string(row.name),
                    .unit = std::string(row.unit),
                    .help = std::string(row.help),
                    .kind = total},
                   perf_scope::workers,
                   machine,
                   [&row, machine](const counter_name& /*name*/) {
                     return plan_event(row.name, machine->root());
                   });
}

counter_family family_of(const machine_row& row, const shared_machine& machine) {
  counter_family family =
      family_of({.name = std::string(row.name),
                 .unit = std::string(row.unit),
                 .help = std::string(row.help),
                 .kind = row.kind},
                row.scope,
                machine,
                [&row, machine](const counter_name& /*name*/) { return row.plan(*machine); });
  if (row.plan == traffic) {  // the help text says what this processor counts
    family.type_of = [type = family.type, machine](const counter_name& /*name*/) {
      const machine_facts facts = machine->facts();
      const traffic_events* events = find_traffic(facts.vendor, facts.family, facts.model);
      counter_type here = type;
      here.help += events == nullptr ? "" : " Here: " + std::string(events->counts) + '.';
      return here;
    };
  }
  return family;
}

/// Returns the open family for all other events.
counter_family open_family(const shared_machine& machine) {
  counter_family family = family_of(
      {.name = "/perf/*",
       .unit = "",
       .help = "Any event: rNNNN for a code of the processor, UNIT/TERMS as "
               "`perf list` writes them, names of libpfm4; user mode.",
       .kind = total},
      perf_scope::workers,
      machine,
      [machine](const counter_name& name) { return plan_event(name.counter, machine->root()); });
  family.instances = [] { return std::vector<counter_name>(); };
  family.is_open = true;
  return family;
}

}  // namespace

std::vector<counter_family> perf_families(perf_surroundings surroundings) {
  const auto machine = std::make_shared<perf_machine>(std::move(surroundings));
  std::vector<counter_family> families;
  for (const perf_event_row& row : perf_event_rows()) {
    families.push_back(family_of(row, machine));
  }
  for (const machine_row& row : machine_rows) {
    families.push_back(family_of(row, machine));
  }
  families.push_back(open_family(machine));
  return families;
}

}  // namespace weft::counters::detail
