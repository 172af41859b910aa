// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a view as JSON.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "weft/counters/worker_block.hpp"

#include "counters/print/number_text.hpp"
#include "top/numbers.hpp"
#include "top/process_state.hpp"
#include "top/report.hpp"
#include "top/screen_text.hpp"
#include "top/view.hpp"

namespace weft::top {

namespace {

using counters::detail::json_string;

std::string number(double value) { return exact(value); }
std::string number(std::uint64_t value) { return std::to_string(value); }

/// Collects the members of an object, or the elements of an array.
class json_writer {
 public:
  json_writer& text(std::string_view name, std::string_view value) {
    return raw(name, json_string(value));
  }
  template <class Number>
  json_writer& value(std::string_view name, Number value) {
    return raw(name, number(value));
  }
  template <class Number>
  json_writer& value(std::string_view name, const std::optional<Number>& value) {
    return raw(name, value ? number(*value) : "null");
  }
  json_writer& raw(std::string_view name, std::string_view json) {
    return element(json_string(name) + ":" + std::string(json));
  }
  json_writer& element(const std::string& json) {
    body_ += (body_.empty() ? "" : ",") + json;
    return *this;
  }

  [[nodiscard]] std::string object() const { return "{" + body_ + "}"; }
  [[nodiscard]] std::string array() const { return "[" + body_ + "]"; }

 private:
  std::string body_;
};

void add_activity(json_writer& to, const activity& done) {
  const counters::worker_totals& counts = done.counts;
  to.value("tasks", counts.tasks_executed)
      .value("steals_tried", counts.steals_tried)
      .value("steals_won", counts.steals_won)
      .value("steals_lost", counts.steals_lost)
      .value("suspensions", counts.suspensions)
      .value("resumes", counts.resumes)
      .value("parks", counts.parks)
      .value("wakes", counts.wakes)
      .value("task_s", done.time.task_s)
      .value("scheduling_s", done.time.scheduling_s)
      .value("stealing_s", done.time.stealing_s)
      .value("searching_s", done.time.searching_s)
      .value("parked_s", done.time.parked_s);
}

std::string worker_json(const worker_view& row) {
  json_writer out;
  out.value("pool", std::uint64_t{row.pool}).value("worker", std::uint64_t{row.worker});
  out.value("thread_id", row.thread_id).text("state", name_of(row.state));
  out.text("last_timed", row.last_timed);
  out.value("in_state_s", row.in_state_s).value("same_task_s", row.same_task_s);
  out.value("queue_length", row.queue_length).value("run_delay_s", row.run_delay_s);
  add_activity(out, row.done);
  return out.object();
}

std::string quantiles_json(const quantiles& of) {
  return json_writer().value("p50_s", of.p50_s).value("p99_s", of.p99_s).object();
}

std::string workers_json(const view& of) {
  json_writer workers;
  for (const worker_view& row : of.workers) {
    workers.element(worker_json(row));
  }
  return workers.array();
}

std::string labels_json(const view& of) {
  json_writer labels;
  for (const label_view& label : of.labels) {
    labels.element(json_writer()
                       .text("name", label.name)
                       .value("tasks", label.num)
                       .value("task_s", label.task_s)
                       .value("share", label.share)
                       .object());
  }
  return labels.array();
}

std::string flags_json(const view& of) {
  json_writer flags;
  for (const flag& raised : of.flags) {
    flags.element(json_writer().text("name", raised.name).text("reason", raised.reason).object());
  }
  return flags.array();
}

std::string missing_json(const view& of) {
  json_writer missing;
  for (const std::string& name : of.missing) {
    missing.element(json_string(name));
  }
  return missing.array();
}

const char* name_of_status(process_status status) {
  switch (status) {
    case process_status::running:
      return "running";
    case process_status::ended:
      return "ended";
    case process_status::killed:
      break;
  }
  return "killed";
}

}  // namespace

std::string json_text(const view& of) {
  json_writer out;
  out.text("schema", "weft-top-1");
  out.value("pid", of.header.pid).value("uid", of.header.uid);
  out.text("program", of.header.program).text("command_line", of.header.command_line);
  out.text("status", name_of_status(of.status)).raw("flags", flags_json(of));
  out.value("time_unix_s", static_cast<double>(of.realtime_ns) * 1e-9);
  out.value("uptime_s", of.uptime_s).value("interval_s", of.interval_s);
  out.value("sampled_s", of.sampled_s).value("rss_bytes", of.rss_bytes);
  out.value("run_delay_s", of.run_delay_s).value("queue_length", of.queue_length);
  out.value("suspended", of.num_suspended);
  out.value("largest_sample_period", of.largest_sample_period);
  out.value("tasks_since_start", of.total.counts.tasks_executed);
  json_writer done;
  add_activity(done, of.done);
  out.raw("total", done.object());
  out.raw("task_duration", quantiles_json(of.task_duration));
  out.raw("queue_delay", quantiles_json(of.queue_delay));
  out.raw("park_latency", quantiles_json(of.park_latency));
  out.raw("workers", workers_json(of)).raw("labels", labels_json(of));
  out.raw("missing", missing_json(of));
  return out.object();
}

}  // namespace weft::top
