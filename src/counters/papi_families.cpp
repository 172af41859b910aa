// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of PAPI's events: /papi.
#include "counters/papi_families.hpp"

#include <array>
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

#include "counters/papi_counter.hpp"
#include "counters/papi_machine.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {
namespace {

/// Events that are listed; there are hundreds of others.
constexpr std::array<std::string_view, 12> listed_events = {"PAPI_TOT_CYC",
                                                            "PAPI_TOT_INS",
                                                            "PAPI_REF_CYC",
                                                            "PAPI_BR_MSP",
                                                            "PAPI_L1_DCM",
                                                            "PAPI_L2_TCM",
                                                            "PAPI_L3_TCM",
                                                            "PAPI_TLB_DM",
                                                            "PAPI_FP_OPS",
                                                            "OFFCORE_REQUESTS:ALL_DATA_RD",
                                                            "OFFCORE_REQUESTS:DEMAND_CODE_RD",
                                                            "OFFCORE_REQUESTS:DEMAND_RFO"};

std::vector<counter_name> listed(const papi_machine& machine) {
  const std::vector<worker_thread> workers = machine.workers();
  std::vector<counter_name> names;
  for (const std::string_view event : listed_events) {
    counter_name name{.object = "papi", .counter = std::string(event)};
    names.push_back(complete(name));
    for (const worker_thread& worker : workers) {
      name.instance = instance_of(worker);
      names.push_back(name);
    }
  }
  return names;
}

std::unique_ptr<counter> make(const std::shared_ptr<papi_machine>& machine,
                              const counter_name& name) {
  if (!name.parameters.empty()) {
    throw error("counter " + type_name(name) + " takes no parameters; leave out \"@" +
                name.parameters + '"');
  }
  const bool is_worker = name.instance.back().name == "worker-thread";
  return std::make_unique<papi_counter>(
      machine, name.counter, is_worker ? std::optional(name) : std::nullopt);
}

}  // namespace

std::vector<counter_family> papi_families(papi_surroundings surroundings) {
  const auto machine = std::make_shared<papi_machine>(std::move(surroundings));
  return {{.type = {.name = "/papi/*",
                    .unit = "",
                    .help = "Any event of PAPI, preset or native; user mode. Only if built with "
                            "PAPI.",
                    .kind = counter_kind::total},
           .instances = [machine] { return listed(*machine); },
           .make = [machine](const counter_name& name) { return make(machine, name); },
           .is_open = true}};
}

}  // namespace weft::counters::detail
