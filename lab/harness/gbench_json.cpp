// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts outcomes to Google Benchmark's keys.
#include "lab/harness/gbench_json.hpp"

#include <array>
#include <cstddef>
#include <ctime>
#include <span>
#include <string>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "lab/harness/experiment.hpp"
#include "lab/harness/records.hpp"

namespace weft::lab {
namespace {

using nlohmann::ordered_json;

constexpr double ns_per_s = 1e9;

std::string date_text() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), "%FT%T%z", &local);
  return text.data();
}

std::string host_text() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string name_of(const cell& what, const program_facts& facts) {
  std::string name = facts.suite + "/" + facts.backend + "@" + facts.build.toolchain + "/" +
                     what.problem + "/" + what.type + "/" + std::to_string(what.size) +
                     "/threads:" + std::to_string(what.threads);
  for (const auto& [param, value] : what.params) {
    name += "/" + param + ":" + std::to_string(value);
  }
  return name;
}

ordered_json cpu_time_ns(const measurement& measured) {
  for (const counter_value& counter : measured.counters) {
    if (counter.name == "cpu_time" && counter.value) {
      return *counter.value * ns_per_s;
    }
  }
  return nullptr;
}

void add_samples(ordered_json& benchmarks,
                 const ordered_json& common,
                 const measurement& measured) {
  const auto& per_call_s = measured.taken.per_call_s;
  const ordered_json cpu_ns = cpu_time_ns(measured);
  for (std::size_t i = 0; i < per_call_s.size(); ++i) {
    ordered_json entry = common;
    entry["repetitions"] = per_call_s.size();
    entry["repetition_index"] = i;
    entry["iterations"] = measured.plan.calls_per_sample();
    entry["real_time"] = per_call_s[i] * ns_per_s;
    entry["cpu_time"] = cpu_ns;
    entry["time_unit"] = "ns";
    entry["bytes_per_second"] = static_cast<double>(measured.bytes_min) / per_call_s[i];
    benchmarks.push_back(entry);
  }
}

}  // namespace

std::string gbench_json(std::span<const outcome> answers, const program_facts& facts) {
  ordered_json benchmarks = ordered_json::array();
  int family = 0;
  for (const outcome& answer : answers) {
    if (!answer.what) {
      continue;
    }
    const std::string name = name_of(*answer.what, facts);
    ordered_json common{{"name", name},
                        {"family_index", family},
                        {"per_family_instance_index", 0},
                        {"run_name", name},
                        {"run_type", "iteration"},
                        {"threads", answer.what->threads}};
    ++family;
    if (answer.measured) {
      add_samples(benchmarks, common, *answer.measured);
    } else {
      common["error_occurred"] = true;
      common["error_message"] = to_string(answer.how) + ": " + answer.message;
      benchmarks.push_back(common);
    }
  }
  const ordered_json document{{"context",
                               {{"date", date_text()},
                                {"host_name", host_text()},
                                {"executable", facts.build.program},
                                {"num_cpus", facts.cpus_usable},
                                {"library_build_type", "release"},
                                {"weft_version", facts.build.weft_version},
                                {"compiler", facts.build.compiler},
                                {"flags", facts.build.flags}}},
                              {"benchmarks", benchmarks}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace weft::lab
