// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session that is reset before each timed batch and evaluated after it.
#include "lab/harness/counted_samples.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "lab/harness/experiment.hpp"
#include "lab/harness/records.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {
namespace {

#if defined(WEFT_COUNTERS_OFF)
constexpr bool workers_count = false;
#else
constexpr bool workers_count = true;
#endif

std::vector<std::string> names_of(std::span<const sample_counter> which) {
  std::vector<std::string> names;
  std::ranges::transform(which, std::back_inserter(names), [](const sample_counter& each) {
    return std::string(each.counter);
  });
  return names;
}

double number_in(const counters::session_readings& found, const sample_counter& what) {
  if (!workers_count && what.counter.starts_with("/threads")) {
    throw error("weft was built with WEFT_COUNTERS=off");
  }
  return found.number_of(what.counter);
}

}  // namespace

counted_samples::counted_samples(std::span<const sample_counter> which, counters::registry& from) {
  for (const sample_counter& each : which) {
    columns_.push_back({.what = each});
  }
  if (!which.empty()) {
    session_.emplace(names_of(which), from);
  }
}

void counted_samples::begin() {
  if (session_) {
    session_->reset();
  }
}

void counted_samples::end() {
  if (!session_) {
    return;
  }
  const counters::session_readings found = session_->evaluate();
  for (column& each : columns_) {
    try {
      each.sum += number_in(found, each.what) * each.what.unit_per_count;
    } catch (const error& problem) {
      each.is_whole = false;
      if (each.reason.empty()) {
        each.reason = problem.what();
      }
    }
  }
}

void counted_samples::finish_sample(std::size_t num_calls) {
  ++num_samples_;
  for (column& each : columns_) {
    if (each.is_whole) {
      each.per_call.push_back(each.sum / static_cast<double>(num_calls));
    }
    each.sum = 0;
    each.is_whole = true;
  }
}

counter_value counted_samples::value_of(const column& of) const {
  counter_value made;
  made.name = of.what.name;
  made.unit = of.what.unit;
  made.per = "sample";
  if (num_samples_ == 0) {
    made.reason = "no sample was taken";
  } else if (of.per_call.empty()) {
    made.reason = of.reason;
  } else if (of.per_call.size() < num_samples_) {
    made.reason = "known of " + std::to_string(of.per_call.size()) + " of " +
                  std::to_string(num_samples_) + " samples only: " + of.reason;
  } else {
    made.value = median(of.per_call);
    made.per_sample = of.per_call;
  }
  return made;
}

std::vector<counter_value> counted_samples::values() const {
  std::vector<counter_value> made;
  std::ranges::transform(
      columns_, std::back_inserter(made), [this](const column& each) { return value_of(each); });
  return made;
}

}  // namespace weft::lab
