// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies over the number of workers in use.
#include "weft/policies/throttle.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/session.hpp"
#include "weft/policies/knobs.hpp"
#include "weft/policies/policy.hpp"
#include "weft/policies/readings.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_knobs.hpp"

#include "policies/named_policy.hpp"
#include "policies/throttle_logic.hpp"

namespace weft::policies {

namespace detail {
namespace {

constexpr unsigned most_patience = 64;
constexpr unsigned periods_to_forget = 256;  // without a raise, after which patience halves
constexpr double busy_share = 0.9;           // the workers in use are busy: more may help
constexpr double head_room_share = 0.75;     // the share of fewer workers that may be busy

}  // namespace

int idle_logic::next(const worker_range& workers, const period_load& load) noexcept {
  const bool is_pressed = workers.now < workers.most &&
                          (load.num_queued > 0 || load.num_busy > busy_share * workers.now);
  const bool is_idle = load.num_busy < (1 - idle_above_) * workers.now;
  num_pressed_ = is_pressed ? num_pressed_ + 1 : 0;
  num_idle_ = is_idle && !is_pressed ? num_idle_ + 1 : 0;
  if (num_before_raise_ != 0 && load.num_busy > num_before_raise_) {
    num_before_raise_ = 0;  // more workers were busy than before the raise: it was useful
    patience_ = 1;
  }
  if (++num_since_raise_ % periods_to_forget == 0) {
    patience_ = std::max(patience_ / 2, 1U);
  }
  if (num_pressed_ >= patience_) {
    num_pressed_ = num_since_raise_ = 0;
    num_before_raise_ = workers.now;
    return workers.most;
  }
  const bool has_head_room = load.num_busy <= head_room_share * (workers.now - 1);
  if (num_idle_ >= num_periods_ && workers.now > workers.least && has_head_room) {
    num_idle_ = 0;
    if (std::exchange(num_before_raise_, 0) != 0) {
      patience_ = std::min(2 * patience_, most_patience);
    }
    return workers.now - 1;
  }
  return workers.now;
}

int power_logic::next(const worker_range& workers, double watts) noexcept {
  if (watts > limit_watts_) {
    num_below_ = 0;
    return std::max(workers.now - 1, workers.least);
  }
  const bool has_room = watts * (workers.now + 1) <= limit_watts_ * workers.now;
  num_below_ = has_room && workers.now < workers.most ? num_below_ + 1 : 0;
  if (num_below_ < num_periods_) {
    return workers.now;
  }
  num_below_ = 0;
  return workers.now + 1;
}

namespace {

/// The workers in use of a throttle, which returns all workers at its end.
class throttled_workers {
 public:
  throttled_workers(runtime& of, int least, std::string policy)
      : workers_(of), least_(least), policy_(std::move(policy)) {
    const int most = workers_.most().value_or(1);
    if (least < 1 || least > most) {
      throw error("policy " + policy_ + " cannot keep " + std::to_string(least) +
                  " workers in use: give 1 to " + std::to_string(most));
    }
  }
  throttled_workers(const throttled_workers&) = delete;
  throttled_workers& operator=(const throttled_workers&) = delete;
  ~throttled_workers() {
    if (is_changed_) {
      workers_.set(std::numeric_limits<int>::max(), policy_);
    }
  }

  /// Nothing: the runtime has ended.
  [[nodiscard]] std::optional<worker_range> range() const {
    const std::optional<int> now = workers_.value();
    const std::optional<int> most = workers_.most();
    if (!now || !most) {
      return std::nullopt;
    }
    return worker_range{.now = *now, .least = std::min(least_, *most), .most = *most};
  }
  void set(int wanted) { is_changed_ |= workers_.set(wanted, policy_); }

 private:
  const workers_in_use workers_;
  const int least_;
  const std::string policy_;
  bool is_changed_ = false;
};

void check(const std::string& policy, unsigned num_periods, bool is_limit_valid) {
  if (num_periods == 0 || !is_limit_valid) {
    throw error("policy " + policy +
                " needs 1 period or more, a share of 0 to 1 (throttle_idle), and a limit of more "
                "than 0 W (throttle_power)");
  }
}

/// Returns how many workers had a task on average, and how many tasks are queued. The times are
/// those of states, which are known exactly also if no task is timed.
std::optional<period_load> load_of(const readings& now) {
  const auto [overall, parked, searching, queued] =
      std::tie(now.all[0], now.all[1], now.all[2], now.all[3]);
  if (!overall.change || !parked.change || !searching.change || !queued.value ||
      now.since_last.count() <= 0) {
    return std::nullopt;
  }
  const double busy_ns = *overall.change - *parked.change - *searching.change;
  return period_load{.num_busy = busy_ns / static_cast<double>(now.since_last.count()),
                     .num_queued = *queued.value};
}

/// Returns the name of a counter of the whole pool in this process.
std::string counter_of_pool(std::string_view type, const std::string& pool) {
  counters::counter_name name = counters::complete(counters::parse_counter_name(type));
  name.instance.insert(name.instance.begin() + 1, {.name = "pool", .index = pool});
  return to_string(name);
}

/// Returns the full name of the one counter that `counter` means.
/// Errors: `weft::error` if the counter does not exist, has no value, or is not of energy.
std::string require_energy(const std::string& counter) {
  counters::session_readings now;
  try {
    const std::string full = to_string(counters::complete(counters::parse_counter_name(counter)));
    now = counters::session(std::span(&full, 1)).evaluate();
  } catch (const error& failure) {
    throw error("policy throttle_power needs a counter of energy: " + std::string(failure.what()));
  }
  for (const counters::session_reading& each : now.values) {
    if (!each.value.value) {
      throw error("policy throttle_power needs counter " + each.name +
                  ", which is unavailable: " + each.value.reason);
    }
    if (each.unit != "J" || each.kind != counters::counter_kind::total) {
      throw error("policy throttle_power needs a counter that counts energy in J; " + each.name +
                  " is none");
    }
  }
  if (now.values.size() != 1) {
    throw error("policy throttle_power needs one counter of energy; " + counter + " means " +
                std::to_string(now.values.size()));
  }
  return now.values.front().name;
}

}  // namespace
}  // namespace detail

policy throttle_idle(runtime& of, const idle_options& options) {
  const std::string name = "throttle_idle";
#if defined(WEFT_COUNTERS_OFF)
  throw error("policy " + name +
              " needs the times of workers, which this build does not count; build weft with "
              "WEFT_COUNTERS=full");
#endif
  detail::check(name, options.num_periods, options.idle_above >= 0 && options.idle_above <= 1);
  auto workers = std::make_shared<detail::throttled_workers>(of, options.least_workers, name);
  const std::string pool = tasks::weak_runtime(of).name();
  auto step = [workers = std::move(workers),
               logic = detail::idle_logic(options.num_periods, options.idle_above)](
                  const readings& now) mutable {
    const auto range = workers->range();
    const auto load = detail::load_of(now);
    if (!range || !load) {
      logic.skip();
      return;
    }
    workers->set(logic.next(*range, *load));
  };
  return detail::named_policy(name,
                              options.period,
                              {detail::counter_of_pool("/threads/time/overall", pool),
                               detail::counter_of_pool("/threads/time/parked", pool),
                               detail::counter_of_pool("/threads/time/searching", pool),
                               detail::counter_of_pool("/threadqueue/length", pool)},
                              std::move(step));
}

policy throttle_power(runtime& of, double limit_watts, const power_options& options) {
  const std::string name = "throttle_power";
  detail::check(name, options.num_periods, limit_watts > 0);
  const std::string energy = detail::require_energy(options.counter);
  auto workers = std::make_shared<detail::throttled_workers>(of, options.least_workers, name);
  auto step =
      [workers = std::move(workers),
       logic = detail::power_logic(options.num_periods, limit_watts)](const readings& now) mutable {
        const auto range = workers->range();
        const std::optional<double> watts = now.rate_per_s(now.all.front().name);
        if (!range || !watts) {
          logic.skip();
          return;
        }
        workers->set(logic.next(*range, *watts));
      };
  return detail::named_policy(name, options.period, {energy}, std::move(step));
}

}  // namespace weft::policies
