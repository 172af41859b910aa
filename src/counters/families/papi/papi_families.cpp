// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of PAPI's events: /papi.
#include "counters/families/papi/papi_families.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
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
#include "counters/core/thread_ids.hpp"
#include "counters/core/unavailable.hpp"
#include "counters/core/worker_threads.hpp"
#include "counters/families/papi/papi_machine.hpp"

namespace weft::counters::detail {
namespace {

/// Begins when first evaluated or reset. A thread counts from the first reading that finds it. A
/// thread that begins and ends between two readings is missed.
class papi_counter final : public counter {
 public:
  /// Without `worker`, counts on all threads.
  papi_counter(std::shared_ptr<papi_machine> machine,
               std::string event,
               std::optional<counter_name> worker);

  [[nodiscard]] counter_value evaluate(evaluation& now) override;
  void reset(evaluation& now) override;

 private:
  struct counted_thread {
    int thread_id;
    std::shared_ptr<papi_set> set;
    std::int64_t base = 0;
    std::int64_t last = 0;
  };
  void follow_threads();
  void add_thread(int thread_id);
  [[nodiscard]] std::vector<int> wanted_threads() const;
  /// Reads all threads into `last`. An ended thread keeps its last value.
  bool read_all();

  std::shared_ptr<papi_machine> machine_;  // must outlive the sets below
  std::string event_;
  std::optional<counter_name> worker_;

  bool is_proven_ = false;
  int code_ = 0;
  std::string reason_;  // why the counter is permanently unavailable
  std::vector<counted_thread> threads_;
};

papi_counter::papi_counter(std::shared_ptr<papi_machine> machine,
                           std::string event,
                           std::optional<counter_name> worker)
    : machine_(std::move(machine)), event_(std::move(event)), worker_(std::move(worker)) {}

counter_value papi_counter::evaluate(evaluation& /*now*/) {
  const bool has_begun = !threads_.empty();
  follow_threads();
  if (!reason_.empty()) {
    return unavailable(reason_);
  }
  if (threads_.empty()) {
    return unavailable("there is no such worker now, or its thread is not known yet");
  }
  if (!has_begun) {
    return unavailable("counting begins with this reading: read it again, or reset it first");
  }
  if (!read_all()) {
    return unavailable("PAPI no longer delivers it");
  }
  std::int64_t sum = 0;
  for (const counted_thread& each : threads_) {
    sum += each.last - each.base;
  }
  return {.value = counter_value::number(sum)};
}

void papi_counter::reset(evaluation& /*now*/) {
  follow_threads();
  read_all();
  for (counted_thread& each : threads_) {
    each.base = each.last;
  }
}

bool papi_counter::read_all() {
  const std::vector<int> present = thread_ids(machine_->root());
  for (counted_thread& each : threads_) {
    if (const auto value = machine_->read(*each.set, code_)) {
      each.last = *value;
    } else if (std::ranges::binary_search(present, each.thread_id)) {
      return false;
    }
  }
  return true;
}

std::vector<int> papi_counter::wanted_threads() const {
  if (!worker_) {
    return thread_ids(machine_->root());
  }
  std::vector<int> ids;
  for (const worker_thread& each : machine_->workers()) {
    if (is_instance_of(*worker_, each)) {
      ids.push_back(each.thread_id);
    }
  }
  return ids;
}

void papi_counter::follow_threads() {
  if (!is_proven_) {
    is_proven_ = true;
    papi_event proven = machine_->prove(event_);
    code_ = proven.code;
    reason_ = std::move(proven.problem);
  }
  if (!reason_.empty()) {
    return;
  }
  for (const int id : wanted_threads()) {
    if (std::ranges::find(threads_, id, &counted_thread::thread_id) == threads_.end()) {
      add_thread(id);
    }
  }
}

void papi_counter::add_thread(int thread_id) {
  std::shared_ptr<papi_set> set = machine_->set_of(thread_id);
  std::string problem = machine_->add(*set, code_);
  if (problem.empty()) {
    const std::int64_t begin = machine_->read(*set, code_).value_or(0);
    threads_.push_back(
        {.thread_id = thread_id, .set = std::move(set), .base = begin, .last = begin});
  } else if (std::ranges::binary_search(thread_ids(machine_->root()), thread_id)) {
    reason_ = "PAPI cannot count " + event_ + " on another thread: " + problem;
    threads_.clear();
  }
}

/// The listed events. Hundreds of others can be used, too.
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
  refuse_parameters(name);
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
