// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a view as comma-separated values.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "top/numbers.hpp"
#include "top/report.hpp"
#include "top/screen_text.hpp"
#include "top/view.hpp"

namespace weft::top {

namespace {

struct column {
  std::string_view name;
  std::string (*value)(const view& of, const worker_view& row);
};

std::string text(std::uint64_t value) { return std::to_string(value); }
std::string text(double value) { return exact(value); }
template <class Number>
std::string text(const std::optional<Number>& value) {
  return value ? text(*value) : "";
}

constexpr std::array columns = {
    column{"time_unix_s",
           [](const view& v, const worker_view&) {
             return text(static_cast<double>(v.realtime_ns) * 1e-9);
           }},
    column{"pid", [](const view& v, const worker_view&) { return text(v.header.pid); }},
    column{"uptime_s", [](const view& v, const worker_view&) { return text(v.uptime_s); }},
    column{"interval_s", [](const view& v, const worker_view&) { return text(v.interval_s); }},
    column{"status", [](const view& v, const worker_view&) { return status_word(v); }},
    column{"pool",
           [](const view& v, const worker_view& r) {
             return v.workers.empty() ? "" : text(std::uint64_t{r.pool});
           }},
    column{"worker",
           [](const view& v, const worker_view& r) {
             return v.workers.empty() ? "" : text(std::uint64_t{r.worker});
           }},
    column{"state",
           [](const view&, const worker_view& r) { return std::string(name_of(r.state)); }},
    column{"tasks",
           [](const view&, const worker_view& r) { return text(r.done.counts.tasks_executed); }},
    column{"steals_tried",
           [](const view&, const worker_view& r) { return text(r.done.counts.steals_tried); }},
    column{"steals_won",
           [](const view&, const worker_view& r) { return text(r.done.counts.steals_won); }},
    column{"task_s", [](const view&, const worker_view& r) { return text(r.done.time.task_s); }},
    column{"scheduling_s",
           [](const view&, const worker_view& r) { return text(r.done.time.scheduling_s); }},
    column{"stealing_s",
           [](const view&, const worker_view& r) { return text(r.done.time.stealing_s); }},
    column{"searching_s",
           [](const view&, const worker_view& r) { return text(r.done.time.searching_s); }},
    column{"parked_s",
           [](const view&, const worker_view& r) { return text(r.done.time.parked_s); }},
    column{"queue_length", [](const view&, const worker_view& r) { return text(r.queue_length); }},
    column{"run_delay_s", [](const view&, const worker_view& r) { return text(r.run_delay_s); }},
};

std::string row_text(const view& of, const worker_view& row) {
  std::string line;
  for (const column& c : columns) {
    line += (line.empty() ? "" : ",") + c.value(of, row);
  }
  return line + "\n";
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const column& c : columns) {
    line += (line.empty() ? "" : ",") + std::string(c.name);
  }
  return line + "\n";
}

std::string csv_text(const view& of) {
  if (of.workers.empty()) {
    return row_text(of, {.done = of.done});
  }
  std::string lines;
  for (const worker_view& row : of.workers) {
    lines += row_text(of, row);
  }
  return lines;
}

}  // namespace weft::top
