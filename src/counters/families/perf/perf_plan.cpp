// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events that a name of the /perf family stands for on this machine.
#include "counters/families/perf/perf_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <linux/perf_event.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"

#include "base/nearest_name.hpp"
#include "counters/families/perf/cpu_events.hpp"
#include "counters/families/perf/event_source.hpp"
#include "counters/families/perf/known_work.hpp"
#include "counters/families/perf/machine_facts.hpp"
#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_events.hpp"
#include "counters/families/perf/perf_names.hpp"
#include "counters/families/perf/perf_traffic.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;

constexpr double line_bytes = 64;

perf_plan impossible(std::string reason) {
  perf_plan plan;
  plan.reason = std::move(reason);
  return plan;
}

perf_plan single(const event_code& code) {
  perf_plan plan;
  plan.events.push_back(code);
  return plan;
}

/// Parses "r01C7", perf's notation for a raw code of the processor.
std::optional<std::uint64_t> raw_code(std::string_view name) {
  std::uint64_t code = 0;
  if (name.size() < 2 || name.front() != 'r') {
    return std::nullopt;
  }
  const char* const last = name.data() + name.size();
  const auto [end, failure] = std::from_chars(name.data() + 1, last, code, 16);
  return failure == std::errc{} && end == last ? std::optional(code) : std::nullopt;
}

/// Plans an event such as "cpu/event=0x3c,umask=0x0" or "cpu/mem-loads".
perf_plan plan_terms(std::string_view unit, std::string_view terms, const fs::path& root) {
  const fs::path folder = root / "sys/bus/event_source/devices" / unit;
  const auto type = base::read_integer(folder / "type");
  if (!type) {
    return impossible("no unit " + std::string(unit) +
                      " here: /sys/bus/event_source/devices has none of that name");
  }
  const auto named = terms.find_first_of("=,") == std::string_view::npos
                         ? base::read_text(folder / "events" / terms)
                         : std::nullopt;
  const auto code = encode_event(
      named ? std::string_view(*named) : terms,
      static_cast<std::uint32_t>(*type),
      [&](std::string_view term) { return base::read_text(folder / "format" / term); });
  return code
             ? single(*code)
             : impossible("unit " + std::string(unit) + " does not understand \"" +
                          std::string(terms) + "\": see format/ and events/ in " + folder.string());
}

/// True if a name looks like one of libpfm4's, which depend on the processor.
bool is_foreign_name(std::string_view name) {
  return name.find(':') != std::string_view::npos ||
         std::ranges::any_of(name, [](char each) { return each >= 'A' && each <= 'Z'; });
}

std::string identity(const machine_facts& machine) {
  return (machine.vendor.empty() ? "vendor not known" : machine.vendor) + ", family " +
         std::to_string(machine.family) + ", model " + std::to_string(machine.model);
}

std::string absent_event(fp_event event, const cpu_events& cpu) {
  const std::string text = std::string(cpu.name) + " processors ";
  if (event == fp_event::operations) {
    return text + "count instructions by width, not operations: see fp-scalar, fp-128, fp-256";
  }
  return text + (cpu.codes[static_cast<std::size_t>(fp_event::operations)] != 0
                     ? "count operations, not instructions by width: see fp-operations"
                     : "have no instructions of this width");
}

[[noreturn]] void refuse(std::string_view name) {
  const auto nearest = weft::detail::nearest_name(perf_event_rows(), name, &perf_event_row::name);
  throw error("no event " + std::string(name) + "; nearest is " + std::string(nearest->name) +
              ". Others: rNNNN for a code of the processor, UNIT/TERMS as in `perf list`, and "
              "names of libpfm4");
}

}  // namespace

perf_plan plan_event(std::string_view name, const fs::path& root) {
  if (const perf_event_row* row = find_perf_event(name)) {
    perf_plan plan = single(row->code);
    plan.least = row->least;
    return plan;
  }
  if (const auto code = raw_code(name)) {
    return single({.type = PERF_TYPE_RAW, .config = *code});
  }
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    std::string_view terms = name.substr(slash + 1);
    terms.remove_suffix(terms.ends_with('/') ? 1 : 0);
    return plan_terms(name.substr(0, slash), terms, root);
  }
  const named_event found = find_named_event(std::string(name));
  if (!found.code && !is_foreign_name(name)) {
    refuse(name);
  }
  return found.code ? single(*found.code) : impossible(found.reason);
}

perf_plan plan_traffic(const machine_facts& machine) {
  const traffic_events* events = find_traffic(machine.vendor, machine.family, machine.model);
  if (events == nullptr) {
    return impossible(
        "weft knows no event of this processor for what cores ask for beyond their "
        "caches (" +
        identity(machine) + "); see src/counters/families/perf/perf_traffic.hpp");
  }
  perf_plan plan;
  for (const std::uint32_t code : events->codes) {
    if (code != 0) {
      plan.events.push_back({.type = PERF_TYPE_RAW, .config = code});
    }
  }
  plan.unit_per_count = line_bytes;
  return plan;
}

perf_plan plan_fp(const machine_facts& machine, fp_event event) {
  const cpu_events* cpu = find_cpu(machine.vendor, machine.family, machine.model);
  if (cpu == nullptr) {
    return impossible("weft knows no floating-point event of this processor (" + identity(machine) +
                      "); PAPI may: see `papi_avail`");
  }
  const std::uint16_t code = cpu->codes[static_cast<std::size_t>(event)];
  if (code == 0) {
    return impossible(absent_event(event, *cpu));
  }
  perf_plan plan = single({.type = PERF_TYPE_RAW, .config = code});
  const bool is_certain = event == fp_event::scalar || event == fp_event::operations;
  plan.least = is_certain ? 0.25 * known_work_rounds : 0;
  return plan;
}

perf_plan plan_memory(const fs::path& root, const std::vector<memory_direction>& directions) {
  perf_plan plan;
  for (const memory_direction direction : directions) {
    const std::vector<event_place> places = memory_event_places(root, direction);
    if (places.empty()) {
      return impossible(
          "no memory controller counts transfers here: /sys/bus/event_source/devices has no "
          "uncore_imc and no amd_umc unit that does; LIKWID reaches more of them on bare metal");
    }
    plan.places.insert(plan.places.end(), places.begin(), places.end());
  }
  return plan;
}

}  // namespace weft::counters::detail
