// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a view as OpenMetrics, under the names that the program's own counters have.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/openmetrics.hpp"
#include "weft/counters/session.hpp"
#include "weft/counters/worker_block.hpp"

#include "top/report.hpp"
#include "top/view.hpp"

namespace weft::top {

namespace {

using counters::counter_kind;
using counters::counter_value;
using counters::worker_totals;

constexpr double ns_per_s = 1e9;

struct metric_row {
  const char* name;
  const char* help;
};

struct count_row : metric_row {
  std::uint64_t worker_totals::* count;
};

constexpr std::array counts = {
    count_row{{"count/cumulative", "Tasks that were run."}, &worker_totals::tasks_executed},
    count_row{{"count/steals-tried", "Attempts to take another worker's task."},
              &worker_totals::steals_tried},
    count_row{{"count/steals-won", "Attempts that got one."}, &worker_totals::steals_won},
    count_row{{"count/steals-lost", "Attempts that somebody else was faster at."},
              &worker_totals::steals_lost},
    count_row{{"count/suspensions", "Times that a task was suspended."},
              &worker_totals::suspensions},
    count_row{{"count/resumes", "Times that a task went on after a wait."},
              &worker_totals::resumes},
    count_row{{"count/parks", "Times that a worker went to sleep."}, &worker_totals::parks},
    count_row{{"count/wakes", "Times that a worker was woken."}, &worker_totals::wakes},
};

constexpr std::array times = {
    std::pair{metric_row{"time/executing", "Time in the bodies of tasks."}, &time_split::task_s},
    std::pair{metric_row{"time/stealing", "Time in attempts to take another worker's task."},
              &time_split::stealing_s},
    std::pair{metric_row{"time/searching", "Time without a task, but for stealing and sleeping."},
              &time_split::searching_s},
    std::pair{metric_row{"time/parked", "Time asleep for want of tasks."}, &time_split::parked_s},
};

constexpr metric_row scheduling = {"time/scheduling", "Time between the bodies of two tasks."};

using histogram = counters::tick_histogram<std::uint64_t>;

constexpr std::array histograms = {
    std::pair{metric_row{"histogram/task-duration", "How long tasks' bodies take."},
              &counters::worker_histograms<std::uint64_t>::task_duration},
    std::pair{metric_row{"histogram/queue-delay", "How long tasks wait to be begun."},
              &counters::worker_histograms<std::uint64_t>::queue_delay},
    std::pair{metric_row{"histogram/park-latency", "How long it takes to wake a worker."},
              &counters::worker_histograms<std::uint64_t>::park_latency},
};

std::string help_of(const std::string& type) {
  const auto is_meant = [&](const metric_row& row) {
    return type.ends_with(std::string("/") + row.name);
  };
  for (const count_row& row : counts) {
    if (is_meant(row)) {
      return row.help;
    }
  }
  for (const auto& [row, member] : times) {
    if (is_meant(row)) {
      return row.help;
    }
  }
  for (const auto& [row, member] : histograms) {
    if (is_meant(row)) {
      return row.help;
    }
  }
  return is_meant(scheduling) ? scheduling.help : "";
}

/// Weights are those since the start; bounds are in nanoseconds.
counters::histogram_value in_ns(const histogram& ticks, double ns_per_tick) {
  counters::histogram_value value;
  double upper = 0;
  for (std::size_t i = 0; i < ticks.weight.size(); ++i) {
    const double lower = upper;
    upper = static_cast<double>(histogram::lower(i + 1)) * ns_per_tick;
    const auto weight = static_cast<double>(ticks.weight[i]);
    if (weight > 0) {
      value.buckets.push_back({.upper = upper, .weight = weight});
      value.sum += weight * (lower + upper) / 2;
    }
  }
  return value;
}

class reading_list {
 public:
  explicit reading_list(std::int64_t realtime_ns) {
    readings_.time = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(
            std::chrono::nanoseconds(realtime_ns)));
  }

  void add(const std::string& name, std::string unit, counter_kind kind, counter_value value) {
    readings_.values.push_back(
        {.name = name, .unit = std::move(unit), .kind = kind, .value = std::move(value)});
  }

  void add_activity(const std::string& instance,
                    const counters::block_reading& total,
                    double seconds_per_tick) {
    const auto name = [&](const char* counter) { return "/threads" + instance + "/" + counter; };
    for (const count_row& row : counts) {
      add(name(row.name),
          "",
          counter_kind::total,
          {.value = static_cast<std::int64_t>(total.counts.*row.count)});
    }
    const time_split time = split_time(total, seconds_per_tick);
    for (const auto& [row, member] : times) {
      add(name(row.name), "ns", counter_kind::total, {.value = time.*member * ns_per_s});
    }
    if (time.scheduling_s) {
      add(name(scheduling.name),
          "ns",
          counter_kind::total,
          {.value = *time.scheduling_s * ns_per_s});
    } else {
      add(name(scheduling.name),
          "ns",
          counter_kind::total,
          {.value = std::nullopt, .reason = "nothing of it was sampled"});
    }
    for (const auto& [row, member] : histograms) {
      add(name(row.name),
          "ns",
          counter_kind::histogram,
          {.value = in_ns(total.histograms.*member, seconds_per_tick * ns_per_s)});
    }
  }

  [[nodiscard]] const counters::session_readings& readings() const { return readings_; }

 private:
  counters::session_readings readings_;
};

}  // namespace

std::string metrics_text(const view& of) {
  reading_list list(of.realtime_ns);
  list.add_activity("{locality#0/total}", of.total, of.seconds_per_tick);
  for (const worker_view& row : of.workers) {
    const std::string instance =
        "{locality#0/" + counters::name_of_worker(row.worker, "worker-thread", "#") + "}";
    list.add_activity(instance, row.total, of.seconds_per_tick);
    if (row.queue_length) {
      list.add("/threadqueue" + instance + "/length",
               "",
               counter_kind::gauge,
               {.value = static_cast<std::int64_t>(*row.queue_length)});
    }
  }
  list.add("/runtime{locality#0/total}/uptime", "s", counter_kind::gauge, {.value = of.uptime_s});
  if (of.rss_bytes) {
    list.add("/runtime{locality#0/total}/memory/resident",
             "bytes",
             counter_kind::gauge,
             {.value = static_cast<std::int64_t>(*of.rss_bytes)});
  }
  return counters::openmetrics_text(list.readings(), help_of);
}

}  // namespace weft::top
