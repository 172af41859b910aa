// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters that some patterns match, updated as counters appear and vanish.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

namespace weft::counters::detail {

/// Returns the shorter of two sampling intervals; none means never.
[[nodiscard]] std::optional<std::chrono::nanoseconds> shorter_interval(
    std::optional<std::chrono::nanoseconds> left,
    std::optional<std::chrono::nanoseconds> right) noexcept;

/// The times at which a counter is sampled.
class sampling_schedule {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  sampling_schedule() = default;
  /// The first time is one interval after `start`. Without an interval there is no time.
  sampling_schedule(std::optional<std::chrono::nanoseconds> interval, time_point start) noexcept;

  [[nodiscard]] std::optional<time_point> next() const noexcept;
  /// Returns whether a sample is due, or will be within `slack`, and if so plans the next one.
  /// Missed samples are not made up for.
  [[nodiscard]] bool is_due(time_point now, std::chrono::nanoseconds slack) noexcept;

 private:
  std::optional<std::chrono::nanoseconds> interval_;
  time_point next_;
};

/// A counter of the group, or the reason why it could not be made.
struct group_member {
  counter_name name;
  std::string text;  // the full name
  counter_type type = {};
  std::unique_ptr<counter> held = nullptr;  // null: see `failure`
  std::string failure = {};
  sampling_schedule schedule = {};
  bool is_paused = false;
  bool counts_on = false;  // it could not be paused, and has counted on since the last reset
};

/// Threads: one at a time.
class counter_group {
 public:
  /// Makes the counters, which count from the beginning until `reset`.
  ///
  /// If a wildcard also matches other counters, refined types without base or operands are left
  /// out.
  /// Errors:  `weft::error` for a pattern that matches no counter, or none that can be made.
  counter_group(const registry& from, const std::vector<counter_name>& patterns, evaluation& now);

  /// Adds counters that the wildcards match by now. Members may vanish and return, and keep their
  /// places.
  ///
  /// Cost:    one `registry::discover` for each wildcard; nothing for other names.
  void refresh(evaluation& now);
  /// Starts reading all members that take long; `evaluate` of each is to follow.
  void prepare(evaluation& now);
  [[nodiscard]] counter_value evaluate(std::size_t member, evaluation& now);
  void reset(evaluation& now);
  /// Pauses the members that can be paused. Members that were paused before continue.
  void pause(evaluation& now);
  void resume(evaluation& now);
  /// True if the member has vanished or could not be made.
  [[nodiscard]] bool is_broken(std::size_t member) const;

  /// The earliest time at which a member wants to be sampled.
  [[nodiscard]] std::optional<sampling_schedule::time_point> next_sample() const;
  /// The shortest interval at which a member wants to be sampled; none if no member does.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const;
  /// Samples the members whose time has come, or will come within `slack`. With half the time
  /// between calls as `slack`, members with other intervals keep them on average.
  void sample(evaluation& now, std::chrono::nanoseconds slack = {});

  [[nodiscard]] const std::vector<group_member>& members() const noexcept { return members_; }

 private:
  /// A pattern that may match other counters later, and the ones it matches now.
  struct wildcard {
    counter_name pattern;
    std::vector<counter_name> meant;
  };

  group_member& member_for(const counter_name& name, const evaluation& now);
  void make(group_member& member, const evaluation& now) const;
  void relist(const evaluation& now);

  const registry* from_;
  std::uint64_t generation_;  // generation of the registry when the members were made
  std::vector<wildcard> wildcards_;
  std::vector<group_member> members_;
  std::unordered_map<std::string, std::size_t> places_;  // indices of the members, by their texts
  std::unordered_set<std::string> fixed_;  // texts of members that no wildcard matches
};

}  // namespace weft::counters::detail
