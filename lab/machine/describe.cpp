// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft_machine: prints the properties of this machine that measurements depend on, as one JSON
// object.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weft/base/options.hpp"
#include "weft/base/profile.hpp"
#include "weft/base/text_file.hpp"
#include "weft/base/topology.hpp"

#include "lab/harness/process_readings.hpp"

namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds steal_window{200};
constexpr std::string_view help =
    "weft_machine: describe this machine as one JSON object on standard output\n"
    "\n"
    "usage: weft_machine [--root FOLDER]\n"
    "\n"
    "  --root FOLDER  read proc/ and sys/ below FOLDER (default: /); counters are always those\n"
    "                 of the running kernel\n"
    "  --help         print this text\n"
    "\n"
    "A fact that is not known is null, or {\"value\": null, \"reason\": \"...\"}. It takes 0.2 s,\n"
    "during which the time stolen by other virtual machines is measured.\n"
    "example: weft_machine | python3 -m json.tool\n";

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json(nullptr);
}

/// A value, or the reason why there is none.
template <class Value>
json or_reason(const std::optional<Value>& value, std::string_view reason) {
  return value ? json{{"value", *value}} : json{{"value", nullptr}, {"reason", reason}};
}

std::optional<double> to_number(const std::optional<std::string>& text) {
  if (!text) {
    return std::nullopt;
  }
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  return end == text->c_str() ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> to_integer(const std::optional<std::string>& text) {
  return text ? weft::base::parse_integer(*text) : std::nullopt;
}

std::optional<double> megahertz(const fs::path& file) {
  const auto kilohertz = weft::base::read_integer(file);
  return kilohertz ? std::optional(static_cast<double>(*kilohertz) / 1000) : std::nullopt;
}

std::optional<bool> has_hypervisor(std::span<const std::string> cpuinfo) {
  const auto flags = weft::base::keyed_value(cpuinfo, "flags");
  return flags ? std::optional((" " + *flags + " ").find(" hypervisor ") != std::string::npos)
               : std::nullopt;
}

json describe_cpu(const fs::path& root, int first_cpu) {
  const std::vector<std::string> cpuinfo = weft::base::read_lines(root / "proc/cpuinfo");
  const fs::path frequency =
      root / "sys/devices/system/cpu" / ("cpu" + std::to_string(first_cpu)) / "cpufreq";
  return {{"cpu_model", or_null(weft::base::keyed_value(cpuinfo, "model name"))},
          {"vendor", or_null(weft::base::keyed_value(cpuinfo, "vendor_id"))},
          {"family", or_null(to_integer(weft::base::keyed_value(cpuinfo, "cpu family")))},
          {"model", or_null(to_integer(weft::base::keyed_value(cpuinfo, "model")))},
          {"cpu_mhz", or_null(to_number(weft::base::keyed_value(cpuinfo, "cpu MHz")))},
          {"frequency_min_mhz", or_null(megahertz(frequency / "cpuinfo_min_freq"))},
          {"frequency_max_mhz", or_null(megahertz(frequency / "cpuinfo_max_freq"))},
          {"governor",
           or_reason(weft::base::read_text(frequency / "scaling_governor"),
                     "the kernel shows no cpufreq: the host or the firmware decides")},
          {"hypervisor", or_null(has_hypervisor(cpuinfo))}};
}

std::string_view name_of(weft::base::cache_kind kind) {
  switch (kind) {
    case weft::base::cache_kind::data:
      return "data";
    case weft::base::cache_kind::instruction:
      return "instruction";
    case weft::base::cache_kind::unified:
      return "unified";
  }
  return "";
}

json describe_topology(const weft::base::topology& machine) {
  json cores = json::array();
  for (const weft::base::core& core : machine.cores) {
    cores.push_back({{"hardware_threads", core.hardware_threads},
                     {"kind", core.kind.empty() ? json(nullptr) : json(core.kind)}});
  }
  json caches = json::array();
  for (const weft::base::cache& cache : machine.caches) {
    caches.push_back({{"level", cache.level},
                      {"kind", name_of(cache.kind)},
                      {"size_bytes", cache.size_bytes},
                      {"line_bytes", cache.line_bytes},
                      {"hardware_threads", cache.hardware_threads}});
  }
  json nodes = json::array();
  for (const weft::base::numa_node& node : machine.numa_nodes) {
    nodes.push_back({{"id", node.id},
                     {"memory_bytes", or_null(node.memory_bytes)},
                     {"hardware_threads", node.hardware_threads}});
  }
  std::set<int> packages;
  std::vector<int> threads;
  for (const weft::base::hardware_thread& thread : machine.hardware_threads) {
    packages.insert(thread.package);
    threads.push_back(thread.id);
  }
  return {{"reader", machine.reader},
          {"packages", packages},
          {"cores", std::move(cores)},
          {"hardware_threads", threads},
          {"smt", machine.has_smt()},
          {"caches", std::move(caches)},
          {"numa_nodes", std::move(nodes)}};
}

json describe_limits(const weft::base::topology& machine) {
  const weft::base::cpu_share share = machine.usable_cpus();
  return {{"affinity", machine.affinity},
          {"quota_cpus", or_reason(machine.quota_cpus, "unlimited")},
          {"memory_limit_bytes", or_reason(machine.memory_limit_bytes, "unlimited")},
          {"cpus_usable", share.cpus},
          {"cpus_source", share.source}};
}

/// Returns the policy in brackets: "always [madvise] never".
std::optional<std::string> chosen_policy(const fs::path& file) {
  const std::string text = weft::base::read_text(file).value_or("");
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']', open == text.npos ? 0 : open);
  return open == text.npos || close == text.npos
             ? std::nullopt
             : std::optional(text.substr(open + 1, close - open - 1));
}

json describe_memory(const fs::path& root, const weft::base::topology& machine) {
  const fs::path huge = root / "sys/kernel/mm/transparent_hugepage";
  const std::vector<std::string> meminfo = weft::base::read_lines(root / "proc/meminfo");
  return {
      {"memory_total_bytes", or_null(machine.memory_total_bytes)},
      {"memory_available_bytes", or_null(machine.memory_available_bytes)},
      {"transparent_huge_pages",
       or_reason(chosen_policy(huge / "enabled"), "this kernel has none")},
      {"transparent_huge_page_bytes", or_null(weft::base::read_integer(huge / "hpage_pmd_size"))},
      {"num_reserved_huge_pages",
       or_null(to_integer(weft::base::keyed_value(meminfo, "HugePages_Total")))}};
}

/// CPU time of all CPUs since the start, in clock ticks.
struct cpu_ticks {
  double stolen = 0;
  double total = 0;
};

std::optional<cpu_ticks> read_cpu_ticks(const fs::path& root) {
  std::istringstream line(weft::base::read_text(root / "proc/stat").value_or(""));
  std::string name;
  std::vector<double> ticks(8);  // user nice system idle iowait irq softirq steal
  line >> name;
  for (double& each : ticks) {
    line >> each;
  }
  if (name != "cpu" || !line) {
    return std::nullopt;
  }
  return cpu_ticks{.stolen = ticks.back(), .total = std::reduce(ticks.begin(), ticks.end())};
}

json measure_steal(const fs::path& root) {
  const auto before = read_cpu_ticks(root);
  std::this_thread::sleep_for(steal_window);
  const auto after = read_cpu_ticks(root);
  const bool is_known = before && after && after->total > before->total;
  return is_known ? json((after->stolen - before->stolen) / (after->total - before->total))
                  : json(nullptr);
}

json describe_system(const fs::path& root) {
  std::istringstream loads(weft::base::read_text(root / "proc/loadavg").value_or(""));
  json averages = json::array();
  for (double load = 0; averages.size() < 3 && loads >> load;) {
    averages.push_back(load);
  }
  return {{"kernel", or_null(weft::base::read_text(root / "proc/sys/kernel/osrelease"))},
          {"load_average_1_5_15_min", averages.size() == 3 ? averages : json(nullptr)},
          {"steal_fraction", measure_steal(root)},
          {"steal_window_s", std::chrono::duration<double>(steal_window).count()},
          {"timer_source",
           or_null(weft::base::read_text(
               root / "sys/devices/system/clocksource/clocksource0/current_clocksource"))},
          {"perf_event_paranoid",
           or_null(weft::base::read_integer(root / "proc/sys/kernel/perf_event_paranoid"))}};
}

/// Tries every counter of records on the running kernel.
json describe_counters() {
  weft::lab::process_readings session;
  session.start();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  session.stop();
  const std::vector<weft::lab::process_reading> readings = session.readings();
  json result = json::array();
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const weft::lab::recorded_counter& info = weft::lab::recorded_counters[i];
    const bool is_available = readings[i].value.has_value();
    result.push_back(
        {{"name", info.name},
         {"unit", info.unit},
         {"scope", info.scope == weft::lab::counter_scope::process ? "process" : "machine"},
         {"source", info.source},
         {"available", is_available},
         {"reason", is_available ? json(nullptr) : json(readings[i].reason)},
         {"note", info.note}});
  }
  return result;
}

/// Returns the values of the machine profile that the library uses here.
json describe_profile() {
  const weft::base::profile_reading found =
      weft::base::read_profile(weft::base::process_environment, weft::base::this_origin());
  const bool is_used = found.is_there && found.problem.empty();
  json values = json::object();
  for (const weft::base::profile_value& value : found.all) {
    if (is_used && !value.text.empty()) {
      values[value.name] = value.text;
    }
  }
  return {{"is_used", is_used},
          {"problem", found.problem.empty() ? json(nullptr) : json(found.problem)},
          {"values", std::move(values)}};
}

json describe(const fs::path& root) {
  const weft::base::topology machine = weft::base::read_topology({.root = root});
  return {{"schema", 1},
          {"record", "machine"},
          {"cpu", describe_cpu(root, machine.hardware_threads.front().id)},
          {"topology", describe_topology(machine)},
          {"limits", describe_limits(machine)},
          {"memory", describe_memory(root, machine)},
          {"system", describe_system(root)},
          {"counters", describe_counters()},
          {"profile", describe_profile()}};
}

int refuse(std::string_view what) {
  std::cerr << "weft_machine: " << what << "; type `weft_machine --help`\n";
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  fs::path root = "/";
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
    std::cout << help;
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "--root") {
    return refuse("--root needs a folder");
  }
  if (arguments.size() == 2 && arguments[0] == "--root") {
    root = arguments[1];
    if (!fs::is_directory(root)) {
      return refuse("no folder '" + root.string() + "' to read proc/ and sys/ from");
    }
  } else if (!arguments.empty()) {
    return refuse("unknown argument '" + std::string(arguments[0]) + "'");
  }
  std::cout << describe(root).dump(-1, ' ', false, json::error_handler_t::replace) << '\n';
  return 0;
}
