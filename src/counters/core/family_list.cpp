// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of a registry by name, and the counters made from them.
#include "counters/core/family_list.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/families/exact_number.hpp"

namespace weft::counters::detail {
namespace {

/// Enters a gate if the gate is open, and leaves it when destroyed.
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

/// Returns the type's name as a pattern that matches all its counters.
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

/// Returns the message of the exception being handled.
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
  // No reader is inside any more, so these functions can be destroyed before the last counter is.
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

void registered_counter::prepare(evaluation& now) {
  if (const gate_visit visit(family_->gate()); visit) {
    try {
      made_->prepare(now);
    } catch (...) {
      sample_failure_ = current_failure();
    }
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

bool registered_counter::pause(evaluation& now) {
  const gate_visit visit(family_->gate());
  if (!visit) {
    return false;
  }
  try {
    return made_->pause(now);
  } catch (...) {
    reset_failure_ = current_failure();
    return false;
  }
}

void registered_counter::resume(evaluation& now) {
  if (const gate_visit visit(family_->gate()); visit) {
    try {
      made_->resume(now);
    } catch (...) {
      reset_failure_ = current_failure();
    }
  }
}

std::optional<std::chrono::nanoseconds> registered_counter::sampling_interval() const {
  const gate_visit visit(family_->gate());
  return visit ? made_->sampling_interval() : std::nullopt;
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

namespace {

/// Returns the object and counter alone, which match all instances.
counter_name type_only(const counter_name& name) {
  return {.object = name.object, .counter = name.counter};
}

bool is_meant(const family_entry& family, const counter_name& pattern) {
  return matches(type_only(pattern), family.type_pattern()) ||
         (family.is_open() && type_name(pattern).starts_with(family.prefix())) ||
         (!pattern.base.empty() && is_meant(family, pattern.base.front()));
}

}  // namespace

void family_list::add(const entry& family) {
  const std::scoped_lock lock(mutex_);
  const std::string& name = family->type().name;
  if (!by_type_.try_emplace(name, family).second) {
    throw error("counter " + name +
                " is registered already; choose another name, or end the registration that has it");
  }
  ++generation_;
}

void family_list::remove(const family_entry& family) {
  const std::scoped_lock lock(mutex_);
  by_type_.erase(family.type().name);
  ++generation_;
}

std::vector<family_list::entry> family_list::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<entry> entries;
  entries.reserve(by_type_.size());
  for (const auto& [name, family] : by_type_) {
    entries.push_back(family);
  }
  return entries;
}

std::vector<family_list::entry> family_list::meant_by(const counter_name& pattern) const {
  std::vector<entry> entries = all();
  std::erase_if(entries, [&](const entry& each) { return !is_meant(*each, pattern); });
  return entries;
}

std::vector<counter_name> family_list::names_near(const counter_name& pattern) const {
  std::vector<counter_name> names;
  for (const entry& family : all()) {
    if (family->is_open() || is_meant(*family, pattern)) {
      std::ranges::move(family->instances(), std::back_inserter(names));
    } else {
      names.push_back(family->type_pattern());
    }
  }
  return names;
}

family_list::entry family_list::find(const counter_name& name) const {
  const std::string wanted = type_name(name);
  const std::scoped_lock lock(mutex_);
  if (const auto found = by_type_.find(wanted); found != by_type_.end()) {
    return found->second;
  }
  for (std::size_t slash = wanted.rfind('/'); slash != 0 && slash != wanted.npos;
       slash = wanted.rfind('/', slash - 1)) {
    const auto found = by_type_.find(wanted.substr(0, slash) + "/*");
    if (found != by_type_.end() && found->second->is_open()) {
      return found->second;
    }
  }
  return nullptr;
}

void family_list::set_others(std::shared_ptr<other_localities> others) {
  const std::scoped_lock lock(mutex_);
  others_.swap(others);
}

std::shared_ptr<other_localities> family_list::others() const {
  const std::scoped_lock lock(mutex_);
  return others_;
}

bool has_type_wildcard(const counter_name& name) {
  return type_name(name).find_first_of("*?[") != std::string::npos;
}

bool has_instance_wildcard(const counter_name& name) {
  return std::ranges::any_of(name.instance, [](const instance_part& part) {
    return part.name == "*" || std::holds_alternative<every_index>(part.index);
  });
}

}  // namespace weft::counters::detail
