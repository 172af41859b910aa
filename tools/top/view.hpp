// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is to show of a process: differences of two moments, and what they mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/worker_block.hpp"

#include "top/process_state.hpp"

namespace weft::top {

/// Where time went, in seconds. `scheduling` is unknown, and part of `task`, where nothing of it
/// was sampled.
struct time_split {
  double task_s = 0;
  std::optional<double> scheduling_s = std::nullopt;
  double stealing_s = 0;
  double searching_s = 0;
  double parked_s = 0;

  [[nodiscard]] double sum_s() const {
    return task_s + scheduling_s.value_or(0) + stealing_s + searching_s + parked_s;
  }
};

/// What happened in an interval.
struct activity {
  counters::worker_totals counts = {};
  time_split time = {};
};

struct worker_view {
  std::uint32_t pool = 0;
  std::uint32_t worker = 0;
  std::optional<std::uint64_t> thread_id = std::nullopt;
  counters::worker_state state = counters::worker_state::absent;
  double in_state_s = 0;
  activity done = {};
  std::optional<std::uint64_t> queue_length = std::nullopt;
  std::optional<double> run_delay_s =
      std::nullopt;                    // in the interval: ready to run, but without a CPU
  double same_task_s = 0;              // executing, and for so long no task has ended
  std::string last_timed = {};         // the timed task that began last; empty: none yet
  counters::block_reading total = {};  // since start
};

/// In seconds; nothing where nothing was sampled.
struct quantiles {
  std::optional<double> p50_s = std::nullopt;
  std::optional<double> p99_s = std::nullopt;
};

struct label_view {
  std::string name = {};
  double num = 0;     // tasks, estimated
  double task_s = 0;  // in their bodies, estimated
  double share = 0;   // of all that was estimated
};

struct flag {
  std::string name = {};  // "STALLED", "LONG", "STOPPED"
  std::string reason = {};
};

struct view {
  header_facts header = {};
  process_status status = process_status::running;
  double uptime_s = 0;
  std::int64_t realtime_ns = 0;
  double interval_s = 0;        // what `done` is about
  bool is_since_start = false;  // that is all its time
  double sampled_s = 0;         // what quantiles and labels are about: more if little was sampled
  std::vector<worker_view> workers = {};
  activity done = {};
  counters::block_reading total = {};  // since start
  double seconds_per_tick = 0;
  std::uint64_t num_suspended = 0;
  std::optional<std::uint64_t> queue_length = std::nullopt;
  std::uint64_t largest_sample_period = 0;
  quantiles task_duration = {};
  quantiles queue_delay = {};
  quantiles park_latency = {};
  std::vector<label_view> labels = {};  // longest first
  std::optional<std::uint64_t> rss_bytes = std::nullopt;
  std::optional<double> run_delay_s = std::nullopt;
  std::vector<flag> flags = {};
  std::vector<std::string> missing = {};
};

/// Returns the name of what lies at an address.
using symbol_lookup = std::function<std::string(std::uint64_t address)>;

/// What changes from look to look.
///
/// Threads: one.
class history {
 public:
  /// Rates are those of the last `window_s` or so.
  explicit history(double window_s = 1.0) : window_s_(window_s) {}

  void add(process_state now);
  /// Of the newest state; since the process's start if there is no earlier one.
  [[nodiscard]] view show(const symbol_lookup& symbol) const;

 private:
  struct standstill {
    std::uint64_t tasks = 0;  // that all workers had executed
    double since_s = 0;       // of the process's uptime
  };
  struct last_end {
    std::uint32_t pool = 0;
    std::uint32_t worker = 0;
    std::uint64_t tasks = 0;
    double since_s = 0;
  };

  void note_progress(const process_state& now);
  [[nodiscard]] double same_task_s(const process_state& now, const worker_state_now& worker) const;

  double window_s_;
  std::vector<process_state> states_ = {};  // those of the window, oldest first
  standstill standstill_;
  std::vector<last_end> last_ends_ = {};
};

[[nodiscard]] time_split split_time(const counters::block_reading& delta, double seconds_per_tick);

/// The time before which `share` of the values lie, in ticks; nothing without values.
[[nodiscard]] std::optional<double> quantile(
    const counters::tick_histogram<std::uint64_t>& histogram, double share);

}  // namespace weft::top
