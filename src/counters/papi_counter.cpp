// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter of a PAPI event: on all threads of the process, or on a worker's.
#include "counters/papi_counter.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/papi_machine.hpp"
#include "counters/thread_ids.hpp"
#include "counters/unavailable.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {

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

}  // namespace weft::counters::detail
