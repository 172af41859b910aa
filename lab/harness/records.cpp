// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes records with nlohmann::json: shortest round-trip numbers, null for numbers that are not
// finite.
#include "lab/harness/records.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "lab/harness/experiment.hpp"
#include "lab/harness/parallelism.hpp"

namespace weft::lab {
namespace {

using nlohmann::ordered_json;

constexpr int schema_version = 1;

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

std::string line_of(const ordered_json& record) {
  // Text from outside (file names, messages) may contain bytes that are not UTF-8: these are
  // replaced, without an exception.
  return record.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json environment() {
  constexpr std::array names{"OMP_WAIT_POLICY",
                             "OMP_NUM_THREADS",
                             "OMP_PROC_BIND",
                             "OMP_PLACES",
                             "GOMP_SPINCOUNT",
                             "KMP_BLOCKTIME"};
  ordered_json values;
  for (const char* name : names) {
    const char* value = std::getenv(name);
    values[name] = value == nullptr ? ordered_json(nullptr) : ordered_json(value);
  }
  return values;
}

ordered_json executable_bytes() {
  std::error_code problem;
  const std::uintmax_t bytes = std::filesystem::file_size("/proc/self/exe", problem);
  return problem ? ordered_json(nullptr) : ordered_json(bytes);
}

ordered_json echo(const cell& what) {
  return {{"id", what.id},
          {"problem", what.problem},
          {"type", what.type},
          {"size", what.size},
          {"threads", what.threads},
          {"allocator", what.allocator},
          {"placement", what.placement},
          {"smt", what.smt},
          {"params", ordered_json(what.params)},
          {"seed", what.seed},
          {"protocol", what.protocol}};
}

ordered_json parallelism_object(const parallelism& found) {
  ordered_json object{{"cpu_over_wall", or_null(found.cpu_over_wall)},
                      {"threads_active", or_null(found.threads_active)},
                      {"sequential", or_null(found.is_sequential)}};
  if (!found.reason.empty()) {
    object["reason"] = found.reason;
  }
  return object;
}

ordered_json counter_object(const counter_value& counter) {
  ordered_json object{
      {"name", counter.name}, {"unit", counter.unit}, {"value", or_null(counter.value)}};
  if (counter.value) {
    object["per"] = counter.per;
    if (!counter.per_sample.empty()) {
      object["values"] = counter.per_sample;
    }
  } else {
    object["reason"] = counter.reason;
  }
  if (counter.scale > 1) {
    object["scale"] = counter.scale;
  }
  return object;
}

void add_measurement(ordered_json& record, const cell& what, const measurement& measured) {
  record["samples_s"] = measured.taken.per_call_s;
  record["calls_per_sample"] = measured.plan.calls_per_sample();
  record["warmup_calls"] = measured.plan.warm_up_calls;
  record["phase_s"] = measured.phase_s;
  record["first_call_s"] = measured.plan.first_call_s;
  if (measured.cold_call_s) {
    record["cold_call_s"] = *measured.cold_call_s;
  }
  record["statistic"] = measured.statistic;
  record["statistic_s"] = measured.statistic_s;
  record["elements"] = what.size;
  record["bytes_min"] = measured.bytes_min;
  if (measured.num_tasks) {
    record["tasks"] = *measured.num_tasks;
  }
  if (measured.num_nodes) {
    record["nodes"] = *measured.num_nodes;
  }
  if (measured.num_operations) {
    record["operations"] = *measured.num_operations;
  }
  if (!measured.scaled.empty()) {
    record["scaled"] = measured.scaled;
  }
  if (!measured.fingerprint.empty()) {
    record["fingerprint"] = measured.fingerprint;
  }
  record["oversubscribed"] = measured.is_oversubscribed;
  record["parallelism"] = parallelism_object(measured.threads);
  ordered_json counters = ordered_json::array();
  for (const counter_value& counter : measured.counters) {
    counters.push_back(counter_object(counter));
  }
  record["counters"] = counters;
  record["resources"] = {{"peak_rss_bytes", or_null(measured.peak_rss_bytes)},
                         {"rss_growth_bytes", or_null(measured.rss_growth_bytes)}};
}

void add_reason(ordered_json& record, const outcome& answer) {
  record["samples_s"] = ordered_json::array();
  record["message"] = answer.message;
  if (answer.how == status::skipped) {
    record["code"] = answer.code;
    record["remedy"] = answer.remedy;
  }
  if (answer.how == status::error) {
    record["field"] = answer.field.empty() ? ordered_json(nullptr) : ordered_json(answer.field);
  }
}

}  // namespace

std::string to_string(status what) {
  switch (what) {
    case status::ok:
      return "ok";
    case status::wrong:
      return "wrong";
    case status::skipped:
      return "skipped";
    case status::error:
      break;
  }
  return "error";
}

void refuse(outcome& answer, const skip& why) {
  answer.how = status::skipped;
  answer.code = why.code;
  answer.message = why.message;
  answer.remedy = why.remedy;
}

void reject(outcome& answer, const std::string& field, const std::string& message) {
  answer.how = status::error;
  answer.field = field;
  answer.message = message;
}

std::string program_record(const program_facts& facts) {
  return line_of({{"schema", schema_version},
                  {"record", "program"},
                  {"program", facts.build.program},
                  {"suite", facts.suite},
                  {"backend", facts.backend},
                  {"toolchain", facts.build.toolchain},
                  {"compiler", facts.build.compiler},
                  {"flags", facts.build.flags},
                  {"libraries", ordered_json(facts.libraries)},
                  {"weft_version", facts.build.weft_version},
                  {"git_commit", facts.build.git_commit},
                  {"executable_bytes", executable_bytes()},
                  {"pid", getpid()},
                  {"cpus_usable", facts.cpus_usable},
                  {"cpus_source", facts.cpus_source},
                  {"timer_cost_s", facts.timer.cost_s},
                  {"timer_resolution_s", facts.timer.resolution_s},
                  {"call_overhead_s", facts.call_overhead_s},
                  {"environment", environment()},
                  {"problems", facts.problems}});
}

std::string result_record(const outcome& answer, const program_facts& facts) {
  ordered_json record{{"schema", schema_version}, {"record", "result"}};
  record["cell"] = answer.what ? echo(*answer.what) : ordered_json(nullptr);
  record["backend"] = facts.backend;
  record["toolchain"] = facts.build.toolchain;
  record["status"] = to_string(answer.how);
  if (answer.what && answer.measured) {
    add_measurement(record, *answer.what, *answer.measured);
  } else {
    add_reason(record, answer);
  }
  record["started_unix_s"] = answer.started_unix_s;
  record["verify_s"] = answer.verify_s;
  record["setup_s"] = answer.setup_s;
  record["probe_s"] = answer.probe_s;
  record["wall_s"] = answer.wall_s;
  return line_of(record);
}

std::string problem_list(const program_facts& facts) {
  return line_of({{"schema", schema_version},
                  {"program", facts.build.program},
                  {"suite", facts.suite},
                  {"backend", facts.backend},
                  {"problems", facts.problems}});
}

}  // namespace weft::lab
