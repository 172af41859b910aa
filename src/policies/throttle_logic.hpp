// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides how many workers are in use, from what was measured in the last period.
#pragma once

#include "weft/policies/throttle.hpp"

namespace weft::policies::detail {

/// How many workers are in use, and the limits of this number.
struct worker_range {
  int now = 1;
  int least = 1;
  int most = 1;
};

/// What `throttle_idle` measures in a period.
struct period_load {
  double num_busy = 0;    // workers and visiting threads with a task, on average
  double num_queued = 0;  // tasks in queues at the end
};

/// See `throttle_idle`.
class idle_logic {
 public:
  explicit idle_logic(unsigned num_periods, double idle_above) noexcept
      : num_periods_(num_periods), idle_above_(idle_above) {}

  /// Returns how many workers shall be in use.
  [[nodiscard]] int next(const worker_range& workers, const period_load& load) noexcept;
  /// The load of the last period is unknown.
  void skip() noexcept { num_idle_ = num_pressed_ = 0; }

 private:
  const unsigned num_periods_;
  const double idle_above_;
  unsigned num_idle_ = 0;     // idle periods in a row
  unsigned num_pressed_ = 0;  // periods in a row that call for more workers
  unsigned patience_ = 1;     // so many of these are needed
  // before the last change, if it was a raise that has not proved useful; else 0
  int num_before_raise_ = 0;
  unsigned num_since_raise_ = 0;  // periods
};

/// See `throttle_power`.
class power_logic {
 public:
  power_logic(unsigned num_periods, double limit_watts) noexcept
      : num_periods_(num_periods), limit_watts_(limit_watts) {}

  [[nodiscard]] int next(const worker_range& workers, double watts) noexcept;
  void skip() noexcept { num_below_ = 0; }

 private:
  const unsigned num_periods_;
  const double limit_watts_;
  unsigned num_below_ = 0;  // periods in a row that leave room for a worker
};

}  // namespace weft::policies::detail
