// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters that some patterns match, updated as counters appear and vanish.
#include "counters/core/counter_group.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_list.hpp"

namespace weft::counters::detail {
namespace {

bool lacks_base(const counter_name& name) {
  return name.instance.empty() && name.base.empty() && name.parameters.empty();
}

std::vector<counter_name> meant_by(const counter_name& pattern, const registry& from) {
  std::vector<counter_name> meant = from.discover(pattern);
  if (has_type_wildcard(pattern) && !std::ranges::all_of(meant, lacks_base)) {
    std::erase_if(meant, lacks_base);
  }
  return meant;
}

std::vector<counter_name> meant_if_any(const counter_name& pattern, const registry& from) {
  try {
    return meant_by(pattern, from);
  } catch (const std::exception&) {
    return {};
  }
}

/// True if `pattern`, which matches `meant` now, can never match another counter.
bool is_fixed(const counter_name& pattern, const std::vector<counter_name>& meant) {
  if (has_type_wildcard(pattern)) {
    return false;
  }
  if (!pattern.base.empty()) {
    const counter_name base = complete(pattern.base.front());
    return is_fixed(base, {base});
  }
  return pattern.instance.empty() ? meant.size() == 1 && meant.front().instance.empty()
                                  : !has_instance_wildcard(pattern);
}

}  // namespace

std::optional<std::chrono::nanoseconds> shorter_interval(
    std::optional<std::chrono::nanoseconds> left,
    std::optional<std::chrono::nanoseconds> right) noexcept {
  return !left || (right && *right < *left) ? right : left;
}

sampling_schedule::sampling_schedule(std::optional<std::chrono::nanoseconds> interval,
                                     time_point start) noexcept
    : interval_(interval > std::chrono::nanoseconds(0) ? interval : std::nullopt),
      next_(start + interval.value_or(std::chrono::nanoseconds(0))) {}

std::optional<sampling_schedule::time_point> sampling_schedule::next() const noexcept {
  return interval_ ? std::optional(next_) : std::nullopt;
}

bool sampling_schedule::is_due(time_point now, std::chrono::nanoseconds slack) noexcept {
  if (!interval_ || now + slack < next_) {
    return false;
  }
  next_ += *interval_;
  if (next_ <= now) {
    next_ = now + *interval_;
  }
  return true;
}

counter_group::counter_group(const registry& from,
                             const std::vector<counter_name>& patterns,
                             evaluation& now)
    : from_(&from), generation_(from.generation()) {
  for (const counter_name& pattern : patterns) {
    std::vector<counter_name> meant = meant_by(pattern, from);
    std::string failure;
    bool is_any_made = false;
    for (const counter_name& name : meant) {
      const group_member& member = member_for(name, now);
      is_any_made = is_any_made || member.held != nullptr;
      failure = failure.empty() ? member.failure : failure;
    }
    if (!is_any_made) {
      throw error(failure);
    }
    if (is_fixed(pattern, meant)) {
      fixed_.insert(to_string(meant.front()));
    } else {
      wildcards_.push_back({pattern, std::move(meant)});
    }
  }
}

group_member& counter_group::member_for(const counter_name& name, const evaluation& now) {
  std::string text = to_string(name);
  const auto [place, is_new] = places_.try_emplace(text, members_.size());
  if (is_new) {
    members_.push_back({.name = name, .text = std::move(text)});
    make(members_.back(), now);
  }
  return members_[place->second];
}

void counter_group::make(group_member& member, const evaluation& now) const {
  try {
    std::unique_ptr<counter> made = from_->make(member.name);
    member.type = from_->type_of(member.name);
    member.schedule = sampling_schedule(made->sampling_interval(), now.time());
    member.held = std::move(made);
    member.is_paused = member.counts_on = false;
  } catch (const std::exception& failure) {
    member.schedule = {};
    member.failure = failure.what();  // a counter made before keeps its own reason
  }
}

void counter_group::refresh(evaluation& now) {
  const std::uint64_t generation = from_->generation();
  if (generation != generation_) {
    generation_ = generation;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (is_broken(i)) {
        make(members_[i], now);
      }
    }
  }
  bool is_changed = false;
  for (wildcard& each : wildcards_) {
    std::vector<counter_name> meant = meant_if_any(each.pattern, *from_);
    is_changed = is_changed || meant != each.meant;
    each.meant = std::move(meant);
  }
  if (is_changed) {
    relist(now);
  }
}

void counter_group::relist(const evaluation& now) {
  std::unordered_set<std::string> listed = fixed_;
  for (const wildcard& each : wildcards_) {
    for (const counter_name& name : each.meant) {
      group_member& member = member_for(name, now);
      listed.insert(member.text);
      if (member.held == nullptr) {
        make(member, now);
      }
    }
  }
  for (group_member& member : members_) {
    if (!listed.contains(member.text)) {
      member.held = nullptr;
      member.schedule = {};
      member.failure = "this counter is no longer there";
    }
  }
}

void counter_group::prepare(evaluation& now) {
  for (const group_member& each : members_) {
    if (each.held != nullptr) {
      each.held->prepare(now);
    }
  }
}

counter_value counter_group::evaluate(std::size_t member, evaluation& now) {
  const group_member& wanted = members_[member];
  return wanted.held != nullptr ? wanted.held->evaluate(now)
                                : counter_value{.value = std::nullopt, .reason = wanted.failure};
}

void counter_group::reset(evaluation& now) {
  for (group_member& member : members_) {
    member.is_paused = member.counts_on = false;
    if (member.held != nullptr) {
      member.held->reset(now);
    }
  }
}

void counter_group::pause(evaluation& now) {
  for (group_member& member : members_) {
    if (!member.is_paused && !member.counts_on) {
      member.is_paused = member.held != nullptr && member.held->pause(now);
      member.counts_on = !member.is_paused;
    }
  }
}

void counter_group::resume(evaluation& now) {
  for (group_member& member : members_) {
    if (member.is_paused && member.held != nullptr) {
      member.held->resume(now);
    }
    member.is_paused = false;
  }
}

bool counter_group::is_broken(std::size_t member) const {
  const counter* const held = members_[member].held.get();
  const auto* const registered = dynamic_cast<const registered_counter*>(held);
  return held == nullptr || (registered != nullptr && !registered->is_registered());
}

std::optional<sampling_schedule::time_point> counter_group::next_sample() const {
  std::optional<sampling_schedule::time_point> earliest;
  for (const group_member& member : members_) {
    const auto next = member.schedule.next();
    if (next && (!earliest || *next < *earliest)) {
      earliest = next;
    }
  }
  return earliest;
}

std::optional<std::chrono::nanoseconds> counter_group::sampling_interval() const {
  std::optional<std::chrono::nanoseconds> shortest;
  for (const group_member& member : members_) {
    if (member.held != nullptr) {
      shortest = shorter_interval(shortest, member.held->sampling_interval());
    }
  }
  return shortest;
}

void counter_group::sample(evaluation& now, std::chrono::nanoseconds slack) {
  for (group_member& member : members_) {
    if (member.held != nullptr && member.schedule.is_due(now.time(), slack)) {
      member.held->sample(now);
    }
  }
}

}  // namespace weft::counters::detail
