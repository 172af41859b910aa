// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The counters that some patterns mean, kept up with as counters appear and vanish.
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

/// When a counter is to be sampled.
class sampling_schedule {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  sampling_schedule() = default;
  /// The first time is one interval after `start`; never without an interval.
  sampling_schedule(std::optional<std::chrono::nanoseconds> interval, time_point start) noexcept;

  [[nodiscard]] std::optional<time_point> next() const noexcept;
  /// Tells whether it is time, or will be within `slack`, and if so plans the next time. Times
  /// missed are not made up for.
  [[nodiscard]] bool is_due(time_point now, std::chrono::nanoseconds slack) noexcept;

 private:
  std::optional<std::chrono::nanoseconds> interval_;
  time_point next_;
};

/// A counter of the group, or why there is none.
struct group_member {
  counter_name name;
  std::string text;  // the name in full
  counter_type type = {};
  std::unique_ptr<counter> held = nullptr;  // null: see `failure`
  std::string failure = {};
  sampling_schedule schedule = {};
  bool is_paused = false;
  bool counts_on = false;  // could not be paused since the last reset
};

/// Threads: one at a time.
class counter_group {
 public:
  /// Makes the counters, which count from the beginning until `reset`.
  ///
  /// Refined types without base or operands are left out where a wildcard means others too.
  /// Errors: `weft::error` for a pattern that means none, or none that can be made.
  counter_group(const registry& from, const std::vector<counter_name>& patterns, evaluation& now);

  /// Adds what wildcards mean by now; members vanish and come back, but keep their places.
  ///
  /// Cost: for each wildcard one `registry::discover`; for other names nothing.
  void refresh(evaluation& now);
  [[nodiscard]] counter_value evaluate(std::size_t member, evaluation& now);
  void reset(evaluation& now);
  /// Pauses those that can be, and lets those that were paused go on.
  void pause(evaluation& now);
  void resume(evaluation& now);
  /// Tells whether the member has vanished or could not be made.
  [[nodiscard]] bool is_broken(std::size_t member) const;

  /// The earliest time at which a member wants to be sampled.
  [[nodiscard]] std::optional<sampling_schedule::time_point> next_sample() const;
  /// The shortest interval at which a member wants to be sampled; none if no member does.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> sampling_interval() const;
  /// Samples those whose time has come, or will within `slack`: half the time between calls lets
  /// those with other intervals keep theirs on average.
  void sample(evaluation& now, std::chrono::nanoseconds slack = {});

  [[nodiscard]] const std::vector<group_member>& members() const noexcept { return members_; }

 private:
  /// A pattern that may come to mean other counters, and those it means now.
  struct wildcard {
    counter_name pattern;
    std::vector<counter_name> meant;
  };

  group_member& member_for(const counter_name& name, const evaluation& now);
  void make(group_member& member, const evaluation& now) const;
  void relist(const evaluation& now);

  const registry* from_;
  std::uint64_t generation_;  // of the registry, when the members were made
  std::vector<wildcard> wildcards_;
  std::vector<group_member> members_;
  std::unordered_map<std::string, std::size_t> places_;  // of members, by their texts
  std::unordered_set<std::string> fixed_;                // texts of those that no wildcard means
};

}  // namespace weft::counters::detail
