// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A registered family, and the counters made of it, which notice when it is registered no longer.
#include "counters/family_entry.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/derived_value.hpp"

namespace weft::counters::detail {
namespace {

/// Is inside a gate while it lives, if it was let in.
class gate_visit {
 public:
  explicit gate_visit(reading_gate& gate) noexcept : gate_(gate.try_enter() ? &gate : nullptr) {}
  gate_visit(const gate_visit&) = delete;
  gate_visit& operator=(const gate_visit&) = delete;
  ~gate_visit() {
    if (gate_ != nullptr) {
      gate_->leave();
    }
  }
  explicit operator bool() const noexcept { return gate_ != nullptr; }

 private:
  reading_gate* gate_;
};

/// Returns the type's name as a pattern that all its counters match.
counter_name checked_type(const counter_type& type, bool is_open) {
  const std::string& text = type.name;
  counter_name pattern = parse_counter_name(text);
  const std::string_view fixed = std::string_view(text).substr(0, text.size() - (is_open ? 2 : 0));
  if (type_name(pattern) != text) {
    throw error("counter type " + text + " names more than object and counter; register it as " +
                type_name(pattern));
  }
  if (is_open && !text.ends_with("/*")) {
    throw error("open counter type " + text + " does not end in \"/*\"; register it as " + text +
                "/*");
  }
  if (fixed.find_first_of("*?[") != fixed.npos) {
    throw error("counter type " + text + " holds a wildcard, which names of counters cannot; " +
                "replace *, ? and [ by other characters");
  }
  return pattern;
}

/// What is said of the exception being handled.
std::string current_failure() {
  try {
    throw;
  } catch (const std::exception& failure) {
    return failure.what();
  } catch (...) {
    return "reading it threw something that is no std::exception";
  }
}

}  // namespace

bool reading_gate::try_enter() noexcept {
  if ((state_.fetch_add(1) & closed) == 0) {
    return true;
  }
  leave();
  return false;
}

void reading_gate::leave() noexcept {
  if (state_.fetch_sub(1) == (closed | 1)) {
    state_.notify_all();
  }
}

void reading_gate::close() noexcept {
  std::uint64_t seen = state_.fetch_or(closed) | closed;
  while (seen != closed) {
    state_.wait(seen);
    seen = state_.load();
  }
}

bool reading_gate::is_closed() const noexcept { return (state_.load() & closed) != 0; }

family_entry::family_entry(counter_family family)
    : family_(std::move(family)), type_pattern_(checked_type(family_.type, family_.is_open)) {}

std::string family_entry::prefix() const { return type().name.substr(0, type().name.size() - 1); }

std::vector<counter_name> family_entry::instances() {
  const gate_visit visit(gate_);
  return visit && family_.instances ? family_.instances() : std::vector<counter_name>();
}

counter_type family_entry::type_of(const counter_name& name) {
  counter_type type = family_.type;
  if (const gate_visit visit(gate_); visit && family_.type_of) {
    type = family_.type_of(name);
  }
  type.name = type_name(name);
  return type;
}

std::unique_ptr<counter> family_entry::make(const counter_name& name) {
  const gate_visit visit(gate_);
  if (!visit) {
    throw error("counter " + to_string(name) + " is no longer registered");
  }
  return std::make_unique<registered_counter>(shared_from_this(), family_.make(name));
}

void family_entry::close() noexcept {
  gate_.close();
  // Nobody is inside any more, so what these hold may go before the last counter does.
  family_.instances = nullptr;
  family_.make = nullptr;
  family_.type_of = nullptr;
}

registered_counter::registered_counter(std::shared_ptr<family_entry> family,
                                       std::unique_ptr<counter> made)
    : family_(std::move(family)), made_(std::move(made)) {}

counter_value registered_counter::evaluate(evaluation& now) {
  const gate_visit visit(family_->gate());
  if (!visit) {
    return unavailable("this counter is no longer registered");
  }
  if (!reset_failure_.empty()) {
    return unavailable("its value at the last reset is not known: " + reset_failure_);
  }
  if (!sample_failure_.empty()) {
    return unavailable("it could not be sampled: " + sample_failure_);
  }
  try {
    return made_->evaluate(now);
  } catch (...) {
    return unavailable(current_failure());
  }
}

void registered_counter::reset(evaluation& now) {
  const gate_visit visit(family_->gate());
  if (!visit) {
    return;
  }
  try {
    made_->reset(now);
    reset_failure_.clear();
  } catch (...) {
    reset_failure_ = current_failure();
  }
}

std::chrono::nanoseconds registered_counter::sampling_interval() const {
  const gate_visit visit(family_->gate());
  return visit ? made_->sampling_interval() : std::chrono::nanoseconds(0);
}

void registered_counter::sample(evaluation& now) {
  if (const gate_visit visit(family_->gate()); visit) {
    try {
      made_->sample(now);
      sample_failure_.clear();
    } catch (...) {
      sample_failure_ = current_failure();
    }
  }
}

bool registered_counter::is_registered() const noexcept { return !family_->gate().is_closed(); }

}  // namespace weft::counters::detail
