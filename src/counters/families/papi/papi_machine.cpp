// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that all /papi counters share: one event set per thread, as PAPI requires.
#include "counters/families/papi/papi_machine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "counters/families/papi/papi_library.hpp"
#include "counters/families/perf/known_work.hpp"

namespace weft::counters::detail {
namespace {

// An event that must count while known work runs. If it stays 0, a 0 of another event proves
// nothing.
constexpr const char* witness = "PAPI_TOT_INS";

/// Runs known work until something has been counted, up to a limit.
std::optional<std::int64_t> count_known_work(papi_set& set, int event) {
  constexpr int most_tries = 20;
  const std::int64_t before = set.read(event).value_or(0);
  std::optional<std::int64_t> counted;
  for (int i = 0; i < most_tries && counted.value_or(0) == 0; ++i) {
    known_work();
    const std::optional<std::int64_t> now = set.read(event);
    if (!now) {
      return std::nullopt;
    }
    counted = *now - before;
  }
  return counted;
}

}  // namespace

papi_set::papi_set(papi_library& papi, int thread_id)
    : papi_(&papi), set_(papi.make_set(thread_id)) {}

papi_set::~papi_set() {
  if (set_.problem.empty()) {
    stop();
    papi_->destroy(set_.value);
  }
}

std::string papi_set::add(int event) {
  if (!set_.problem.empty()) {
    return set_.problem;
  }
  if (std::ranges::find(members_, event, &member::event) != members_.end()) {
    return {};
  }
  stop();
  std::string problem = papi_->add(set_.value, event);
  if (problem.empty()) {
    members_.push_back({.event = event, .before = 0});
    problem = start();
    if (!problem.empty()) {
      members_.pop_back();
      papi_->remove(set_.value, event);
    }
  }
  if (!is_running_ && !members_.empty()) {
    start();
  }
  return problem;
}

std::optional<std::int64_t> papi_set::read(int event) {
  const auto found = std::ranges::find(members_, event, &member::event);
  const auto counts = is_running_ ? papi_->read(set_.value, members_.size()) : std::nullopt;
  if (found == members_.end() || !counts) {
    return std::nullopt;
  }
  return found->before + counts->at(static_cast<std::size_t>(found - members_.begin()));
}

void papi_set::stop() {
  if (!is_running_) {
    return;
  }
  if (const auto counts = papi_->read(set_.value, members_.size())) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i].before += counts->at(i);
    }
  }
  papi_->stop(set_.value, members_.size());
  is_running_ = false;
}

std::string papi_set::start() {
  std::string problem = papi_->start(set_.value);
  is_running_ = problem.empty();
  return problem;
}

papi_machine::papi_machine(papi_surroundings surroundings)
    : surroundings_(std::move(surroundings)) {}

papi_library& papi_machine::papi() {
  return surroundings_.papi == nullptr ? running_papi() : *surroundings_.papi;
}

papi_event papi_machine::prove(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = proven_.find(name); found != proven_.end()) {
    return found->second;
  }
  return proven_[name] = try_out(name);
}

papi_event papi_machine::try_out(const std::string& name) {
  if (std::string problem = papi().begin(); !problem.empty()) {
    return {.problem = std::move(problem)};
  }
  const papi_answer found = papi().find_event(name);
  if (!found.problem.empty()) {
    return {.problem = "PAPI knows no event " + name + " here: " + found.problem};
  }
  const std::shared_ptr<papi_set> set = set_of(::gettid());
  if (std::string problem = set->add(found.value); !problem.empty()) {
    return {.problem = "PAPI has the event " + name + ", but cannot count it here: " + problem};
  }
  const std::optional<std::int64_t> counted = count_known_work(*set, found.value);
  if (!counted) {
    return {.problem = "PAPI starts " + name + ", but PAPI_read delivers nothing"};
  }
  if (*counted == 0 && (name == witness || prove(witness).is_stuck)) {
    return {.problem = "PAPI starts " + name + ", but it stays 0 while known work runs",
            .is_stuck = true};
  }
  return {.code = found.value};
}

std::shared_ptr<papi_set> papi_machine::set_of(int thread_id) {
  const std::scoped_lock lock(mutex_);
  std::weak_ptr<papi_set>& known = sets_[thread_id];
  std::shared_ptr<papi_set> set = known.lock();
  if (set == nullptr) {
    set = {new papi_set(papi(), thread_id), [this](papi_set* ended) {
             const std::scoped_lock lock_again(mutex_);
             delete ended;
           }};
    known = set;
  }
  return set;
}

std::string papi_machine::add(papi_set& set, int event) {
  const std::scoped_lock lock(mutex_);
  return set.add(event);
}

std::optional<std::int64_t> papi_machine::read(papi_set& set, int event) {
  const std::scoped_lock lock(mutex_);
  return set.read(event);
}

}  // namespace weft::counters::detail
