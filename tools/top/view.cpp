// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subtracts what was from what is.
#include "top/view.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/worker_block.hpp"

#include "top/flags.hpp"
#include "top/process_state.hpp"

namespace weft::top {

namespace {

using counters::block_reading;
using counters::worker_state;

double uptime_s(const process_state& state) {
  return state.seconds(static_cast<double>(state.last_sign_ticks - state.header.start.ticks));
}

block_reading total_of(const process_state& state) {
  block_reading total = state.gone;
  for (const worker_state_now& worker : state.workers) {
    total += worker.reading;
  }
  return total;
}

const worker_state_now* find(const process_state* in, const worker_state_now& like) {
  if (in == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(in->workers, [&](const worker_state_now& w) {
    return w.pool == like.pool && w.worker == like.worker;
  });
  return found == in->workers.end() ? nullptr : &*found;
}

std::optional<double> run_delay_s(const process_state* before,
                                  const process_state& now,
                                  std::uint64_t thread) {
  const auto last = now.process.run_delay_ns.find(thread);
  if (last == now.process.run_delay_ns.end()) {
    return std::nullopt;
  }
  std::uint64_t earlier_ns = 0;
  if (before != nullptr) {
    const auto first = before->process.run_delay_ns.find(thread);
    earlier_ns = first == before->process.run_delay_ns.end() ? last->second : first->second;
  }
  return static_cast<double>(last->second - std::min(earlier_ns, last->second)) * 1e-9;
}

worker_view worker_row(const process_state* before,
                       const process_state& now,
                       const worker_state_now& worker) {
  block_reading delta = worker.reading;
  if (const worker_state_now* earlier = find(before, worker)) {
    delta -= earlier->reading;
  }
  worker_view row{.pool = worker.pool, .worker = worker.worker, .state = worker.state};
  if (worker.thread_id != 0) {
    row.thread_id = worker.thread_id;
    row.run_delay_s = run_delay_s(before, now, worker.thread_id);
  }
  if (worker.state != worker_state::absent && now.last_sign_ticks > worker.state_since_ticks) {
    row.in_state_s =
        now.seconds(static_cast<double>(now.last_sign_ticks - worker.state_since_ticks));
  }
  row.total = worker.reading;
  if (delta.samples.num_gaps < 1) {
    delta.samples = worker.reading.samples;  // lately nothing was timed; earlier perhaps
  }
  row.done = {.counts = delta.counts, .time = split_time(delta, now.seconds_per_tick)};
  if (now.has("queue_length")) {
    row.queue_length = worker.queue_length;
  }
  return row;
}

/// Adds the parts, each worker's own estimate: their sum is that of the rows above it.
time_split sum_of(const std::vector<worker_view>& rows) {
  time_split sum;
  bool is_split = !rows.empty();
  for (const worker_view& row : rows) {
    const time_split& part = row.done.time;
    is_split = is_split && part.scheduling_s.has_value();
    sum.task_s += part.task_s;
    sum.scheduling_s = sum.scheduling_s.value_or(0) + part.scheduling_s.value_or(0);
    sum.stealing_s += part.stealing_s;
    sum.searching_s += part.searching_s;
    sum.parked_s += part.parked_s;
  }
  if (!is_split) {
    sum.task_s += std::exchange(sum.scheduling_s, std::nullopt).value_or(0);
  }
  return sum;
}

quantiles quantiles_of(const counters::tick_histogram<std::uint64_t>& histogram,
                       double seconds_per_tick) {
  const auto at = [&](double share) -> std::optional<double> {
    const auto ticks = quantile(histogram, share);
    return ticks ? std::optional(*ticks * seconds_per_tick) : std::nullopt;
  };
  return {.p50_s = at(0.5), .p99_s = at(0.99)};
}

bool has_samples(const block_reading& delta) {
  const auto& weight = delta.histograms.task_duration.weight;
  return std::ranges::any_of(weight, [](std::uint64_t w) { return w != 0; });
}

void add_labels(std::map<std::uint64_t, label_time>& sums, const process_state& of, double sign) {
  for (const worker_state_now& worker : of.workers) {
    for (const label_time& label : worker.labels) {
      label_time& sum = sums[label.address];
      sum.num += sign * label.num;
      sum.ticks += sign * label.ticks;
    }
  }
}

std::vector<label_view> labels_of(const process_state* before,
                                  const process_state& now,
                                  const symbol_lookup& symbol) {
  std::map<std::uint64_t, label_time> sums;
  add_labels(sums, now, 1);
  if (before != nullptr) {
    add_labels(sums, *before, -1);
  }
  std::map<std::string, label_view> by_name;  // one function may have several addresses
  double all_s = 0;
  for (const auto& [address, sum] : sums) {
    const double task_s = now.seconds(sum.ticks);
    if (task_s > 0) {
      const std::string name =
          address == counters::label_slot::others ? "(all others)" : symbol(address);
      label_view& row = by_name[name];
      row.name = name;
      row.num += sum.num;
      row.task_s += task_s;
      all_s += task_s;
    }
  }
  std::vector<label_view> labels;
  for (auto& [name, row] : by_name) {
    row.share = row.task_s / all_s;
    labels.push_back(std::move(row));
  }
  std::ranges::sort(labels, std::ranges::greater(), &label_view::task_s);
  return labels;
}

void add_queue_length(view& to) {
  for (const worker_view& row : to.workers) {
    if (row.queue_length) {
      to.queue_length = to.queue_length.value_or(0) + *row.queue_length;
    }
    if (row.run_delay_s) {
      to.run_delay_s = to.run_delay_s.value_or(0) + *row.run_delay_s;
    }
  }
}

void add_distributions(view& to,
                       const process_state* before,
                       const process_state& now,
                       const block_reading& delta,
                       const symbol_lookup& symbol) {
  const bool is_recent = before != nullptr && has_samples(delta);
  const auto& histograms = is_recent ? delta.histograms : to.total.histograms;
  to.sampled_s = is_recent ? to.interval_s : to.uptime_s;
  to.task_duration = quantiles_of(histograms.task_duration, now.seconds_per_tick);
  to.queue_delay = quantiles_of(histograms.queue_delay, now.seconds_per_tick);
  to.park_latency = quantiles_of(histograms.park_latency, now.seconds_per_tick);
  to.labels = labels_of(is_recent ? before : nullptr, now, symbol);
}

}  // namespace

time_split split_time(const block_reading& delta, double seconds_per_tick) {
  const auto seconds = [&](std::uint64_t ticks) {
    return static_cast<double>(ticks) * seconds_per_tick;
  };
  time_split time{.task_s = seconds(delta.counts.ticks_executing),
                  .stealing_s = seconds(delta.counts.ticks_stealing),
                  .searching_s = seconds(delta.counts.ticks_searching),
                  .parked_s = seconds(delta.counts.ticks_parked)};
  if (const auto busy = counters::split_busy_time(delta)) {
    time.task_s = busy->in_tasks_ticks * seconds_per_tick;
    time.scheduling_s = busy->scheduling_ticks * seconds_per_tick;
  }
  return time;
}

std::optional<double> quantile(const counters::tick_histogram<std::uint64_t>& histogram,
                               double share) {
  using histogram_type = counters::tick_histogram<std::uint64_t>;
  std::uint64_t all = 0;
  for (const std::uint64_t weight : histogram.weight) {
    all += weight;
  }
  const double wanted = share * static_cast<double>(all);
  double passed = 0;
  for (std::size_t i = 0; i < histogram.weight.size(); ++i) {
    const auto weight = static_cast<double>(histogram.weight[i]);
    if (weight > 0 && passed + weight >= wanted) {
      const auto low = static_cast<double>(histogram_type::lower(i));
      const auto high = static_cast<double>(histogram_type::lower(i + 1));
      return low + ((high - low) * std::max(0.0, wanted - passed) / weight);
    }
    passed += weight;
  }
  return std::nullopt;
}

void history::add(process_state now) {
  note_progress(now);
  if (now.status != process_status::running) {
    states_.clear();  // what it did in all is of more interest than its last second
  }
  states_.push_back(std::move(now));
  // The oldest state goes when the next one is old enough to measure from; also if the clocks of a
  // damaged file stand still.
  constexpr std::size_t most_states = 256;
  const double newest_s = uptime_s(states_.back());
  while (states_.size() > 2 &&
         (newest_s - uptime_s(states_[1]) >= window_s_ || states_.size() > most_states)) {
    states_.erase(states_.begin());
  }
}

void history::note_progress(const process_state& now) {
  const double now_s = uptime_s(now);
  const std::uint64_t tasks = total_of(now).counts.tasks_executed;
  if (states_.empty() || tasks != standstill_.tasks) {
    standstill_ = {.tasks = tasks, .since_s = now_s};
  }
  std::vector<last_end> ends;
  for (const worker_state_now& worker : now.workers) {
    last_end fresh{.pool = worker.pool,
                   .worker = worker.worker,
                   .tasks = worker.reading.counts.tasks_executed,
                   .since_s = now_s};
    const auto known = std::ranges::find_if(last_ends_, [&](const last_end& e) {
      return e.pool == fresh.pool && e.worker == fresh.worker && e.tasks == fresh.tasks;
    });
    const bool is_same = known != last_ends_.end() && worker.state == worker_state::executing;
    ends.push_back(is_same ? *known : fresh);
  }
  last_ends_ = std::move(ends);
}

double history::same_task_s(const process_state& now, const worker_state_now& worker) const {
  const auto known = std::ranges::find_if(last_ends_, [&](const last_end& e) {
    return e.pool == worker.pool && e.worker == worker.worker;
  });
  return known == last_ends_.end() ? 0 : uptime_s(now) - known->since_s;
}

view history::show(const symbol_lookup& symbol) const {
  const process_state& now = states_.back();
  const process_state* const before = states_.size() > 1 ? &states_.front() : nullptr;
  block_reading delta = total_of(now);
  view shown{.header = now.header,
             .status = now.status,
             .uptime_s = uptime_s(now),
             .realtime_ns = now.realtime_ns,
             .interval_s = uptime_s(now) - (before == nullptr ? 0 : uptime_s(*before)),
             .is_since_start = before == nullptr,
             .total = delta,
             .seconds_per_tick = now.seconds_per_tick,
             .rss_bytes = now.process.rss_bytes,
             .missing = now.missing};
  for (const worker_state_now& worker : now.workers) {
    shown.workers.push_back(worker_row(before, now, worker));
    shown.workers.back().same_task_s = same_task_s(now, worker);
    if (worker.current_label != 0) {
      shown.workers.back().last_timed = symbol(worker.current_label);
    }
    shown.largest_sample_period = std::max(shown.largest_sample_period, worker.sample_period);
  }
  shown.num_suspended = shown.total.counts.suspensions -
                        std::min(shown.total.counts.resumes, shown.total.counts.suspensions);
  if (before != nullptr) {
    delta -= total_of(*before);
  }
  shown.done.counts = delta.counts;
  shown.done.time =
      shown.workers.empty() ? split_time(delta, now.seconds_per_tick) : sum_of(shown.workers);
  add_queue_length(shown);
  add_distributions(shown, before, now, delta, symbol);
  shown.flags = flags_of(shown, now.process.state, uptime_s(now) - standstill_.since_s);
  return shown;
}

}  // namespace weft::top
