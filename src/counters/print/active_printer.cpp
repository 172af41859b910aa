// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups counters by interval, and prints each group when it is due.
#include "counters/print/active_printer.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/core/signals_blocked.hpp"
#include "counters/print/counter_options.hpp"
#include "counters/print/formats.hpp"
#include "counters/print/print_destination.hpp"
#include "counters/print/summary.hpp"

namespace weft::counters::detail {

namespace {

/// Returns the requested counters, followed by those of the summary if there is one.
std::vector<counter_request> requests_of(const counter_plan& plan, const registry& from) {
  std::vector<counter_request> all = plan.counters;
  if (plan.with_summary) {
    for (std::string& name : summary_counters(from)) {
      all.push_back({.name = std::move(name)});
    }
  }
  return all;
}

std::vector<std::chrono::nanoseconds> intervals_of(const counter_plan& plan,
                                                   const std::vector<counter_request>& requests) {
  std::vector<std::chrono::nanoseconds> intervals;
  for (const counter_request& each : requests) {
    const auto interval = each.interval.value_or(plan.interval);
    if (std::ranges::find(intervals, interval) == intervals.end()) {
      intervals.push_back(interval);
    }
  }
  return intervals;
}

std::optional<session> session_for(const std::vector<std::string>& names, registry& from) {
  return names.empty() ? std::nullopt : std::optional<session>(std::in_place, names, from);
}

/// Returns the single counter for a column of csv-short.
std::string only_counter(const counter_request& request, const registry& from) {
  const std::vector<counter_name> meant = from.discover(parse_counter_name(request.name));
  if (meant.size() != 1) {
    throw error("counter " + request.short_name + ',' + request.name + " means " +
                std::to_string(meant.size()) +
                " counters, but csv-short has one column for it: name one, such as " +
                request.short_name + ',' + to_string(meant.front()) +
                ", or take --weft:print-counter-format=csv");
  }
  return to_string(meant.front());
}

}  // namespace

active_printer::active_printer(const counter_plan& plan, registry& from)
    : at_shutdown_(plan.at_shutdown) {
  const std::vector<counter_request> requests = requests_of(plan, from);
  for (const auto interval : intervals_of(plan, requests)) {
    group& added = groups_.emplace_back();
    added.interval = interval;
    added.due = start_ + interval;
    std::vector<std::string> kept;
    std::vector<std::string> reset;
    for (const counter_request& each : requests) {
      if (each.interval.value_or(plan.interval) == interval) {
        (each.is_reset ? reset : kept).push_back(each.name);
      }
    }
    added.kept = session_for(kept, from);
    added.reset = session_for(reset, from);
  }
  start_output(plan, from);
  const auto is_repeated = [](const group& each) { return each.interval.count() > 0; };
  if (std::ranges::any_of(groups_, is_repeated)) {
    const signals_blocked for_the_thread;
    thread_ = std::jthread([this](const std::stop_token& stop) { print_at_intervals(stop); });
  }
}

active_printer::~active_printer() = default;

void active_printer::start_output(const counter_plan& plan, registry& from) {
  format_options options{.format = plan.format,
                         .csv_header = plan.csv_header,
                         .with_types = plan.with_types,
                         .columns = column_names(),
                         .short_names = {}};
  if (plan.format == print_format::csv_short) {
    options.columns.clear();
    for (const counter_request& each : plan.counters) {
      options.columns.push_back(only_counter(each, from));
      options.short_names.push_back(each.short_name);
    }
  }
  columns_ = options.columns;
  formatter_ = make_formatter(options);
  destination_ = std::make_unique<print_destination>(
      plan.destination, formatter_->replaces(), !plan.is_for_job);
  destination_->write(formatter_->begin());
  std::vector<group*> first = plan.at_startup ? all_groups() : std::vector<group*>();
  if (!plan.at_startup) {
    first = all_groups();
    std::erase_if(first, [](const group* each) { return each->interval.count() == 0; });
  }
  if (!first.empty()) {
    print_groups(first, {});
  }
}

std::vector<std::string> active_printer::column_names() const {
  std::vector<std::string> names;
  const auto add = [&](const std::optional<session>& from) {
    for (std::string& name : from ? from->names() : std::vector<std::string>()) {
      if (std::ranges::find(names, name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
  };
  for (const group& each : groups_) {
    add(each.kept);
    add(each.reset);
  }
  return names;
}

std::vector<active_printer::group*> active_printer::all_groups() {
  std::vector<group*> all;
  std::ranges::transform(groups_, std::back_inserter(all), [](group& each) { return &each; });
  return all;
}

std::vector<active_printer::group*> active_printer::due_groups(clock::time_point now) {
  std::vector<group*> due = all_groups();
  std::erase_if(due,
                [&](const group* each) { return each->interval.count() == 0 || each->due > now; });
  return due;
}

void active_printer::print_groups(const std::vector<group*>& groups, std::string_view description) {
  session_readings all;
  const auto add = [&all](session_readings read) {
    std::ranges::move(read.values, std::back_inserter(all.values));
    all.time = read.time;
  };
  for (group* each : groups) {
    if (each->kept) {
      add(each->kept->evaluate());
    }
    if (each->reset) {
      add(each->reset->evaluate(after_reading::reset));
    }
  }
  all.number = ++num_printed_;
  all.since_start = clock::now() - start_;
  if (formatter_->hides_reasons()) {
    report_missing_values(all);
  }
  destination_->write(formatter_->print(all, description));
}

void active_printer::report_missing_values(const session_readings& readings) {
  std::map<std::string, std::string> names_by_reason;
  for (const session_reading& each : readings.values) {
    const bool has_column = std::ranges::find(columns_, each.name) != columns_.end();
    if ((has_column && each.value.value) || !reported_.insert(each.name).second) {
      continue;
    }
    std::string reason = "no column, as it appeared after these were chosen";
    if (has_column) {
      reason = "cells stay empty, as there is no value: " + each.value.reason;
    }
    names_by_reason[std::move(reason)].append("\n  ").append(each.name);
  }
  for (const auto& [reason, names] : names_by_reason) {
    send_message(std::string("weft: ").append(reason).append(names).append("\n"));
  }
}

void active_printer::print_at_intervals(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    auto next = clock::time_point::max();
    for (const group& each : groups_) {
      next = each.interval.count() == 0 ? next : std::min(next, each.due);
    }
    wakes_.wait_until(lock, stop, next, [] { return false; });
    if (stop.stop_requested()) {
      return;
    }
    const clock::time_point now = clock::now();
    const std::vector<group*> due = due_groups(now);
    if (!due.empty()) {
      print_groups(due, {});
    }
    for (group* each : due) {
      // skips missed intervals
      each->due += ((now - each->due) / each->interval + 1) * each->interval;
    }
  }
}

void active_printer::print(std::string_view description) {
  const std::lock_guard guard(mutex_);
  if (!is_finished_) {
    print_groups(all_groups(), description);
  }
}

void active_printer::reset() {
  const std::lock_guard guard(mutex_);
  for (group& each : groups_) {
    if (each.kept) {
      each.kept->reset();
    }
    if (each.reset) {
      each.reset->reset();
    }
  }
}

void active_printer::finish() {
  thread_ = {};
  const std::lock_guard guard(mutex_);
  if (is_finished_) {
    return;
  }
  is_finished_ = true;
  if (at_shutdown_) {
    print_groups(all_groups(), {});
  }
  destination_->write(formatter_->end());
}

}  // namespace weft::counters::detail
