// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the events of memory controllers in /sys/bus/event_source/devices.
#include "counters/families/perf/event_source.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "weft/base/text_file.hpp"

#include "counters/families/perf/perf_event.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;

/// An event of a kind of unit, found by its name in sysfs. If sysfs names none, it is encoded here.
struct memory_event {
  std::string_view unit_prefix;
  std::string_view name;      // file under events/
  std::string_view encoding;  // used if there is no such file; counts 64-byte transfers
};

// In order of preference. The first event that any unit offers is used everywhere, because
// free-running units also count what their siblings count.
constexpr memory_event read_events[] = {{"uncore_imc", "cas_count_read", ""},
                                        {"uncore_imc", "data_reads", ""},
                                        {"uncore_imc", "data_read", ""},
                                        {"amd_umc", "umc_cas_cmd.rd", "event=0x0a,rdwrmask=0x1"}};
constexpr memory_event write_events[] = {{"uncore_imc", "cas_count_write", ""},
                                         {"uncore_imc", "data_writes", ""},
                                         {"uncore_imc", "data_write", ""},
                                         {"amd_umc", "umc_cas_cmd.wr", "event=0x0a,rdwrmask=0x2"}};
constexpr double transfer_bytes = 64;

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool is_hex = text.starts_with("0x");
  text.remove_prefix(is_hex ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  return code == std::errc{} && end == text.data() + text.size() ? std::optional(value)
                                                                 : std::nullopt;
}

/// Removes and returns the text before the first `separator`.
std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view part = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(part.size() + 1, text.size()));
  return part;
}

std::uint64_t* config_word(event_code& code, std::string_view name) {
  if (name == "config") {
    return &code.config;
  }
  if (name == "config1") {
    return &code.config1;
  }
  return name == "config2" ? &code.config2 : nullptr;
}

/// Puts the bits of `value` where `format` says. False if the format is malformed.
bool place_bits(std::string_view format, std::uint64_t value, event_code& code) {
  std::uint64_t* word = config_word(code, take_until(format, ':'));
  if (word == nullptr || format.empty()) {
    return false;
  }
  while (!format.empty()) {
    std::string_view range = take_until(format, ',');
    const auto low = parse_number(take_until(range, '-'));
    const auto high = range.empty() ? low : parse_number(range);
    if (!low || !high || *high < *low || *high > 63) {
      return false;
    }
    for (std::uint64_t bit = *low; bit <= *high; ++bit, value >>= 1) {
      *word |= (value & 1) << bit;
    }
  }
  return true;
}

double unit_bytes(const fs::path& events, std::string_view name) {
  const auto scale = base::read_text(events / (std::string(name) + ".scale"));
  const auto unit = base::read_text(events / (std::string(name) + ".unit"));
  if (!scale || !unit) {
    return transfer_bytes;
  }
  const double factor = std::strtod(scale->c_str(), nullptr);
  return *unit == "MiB" ? factor * (1 << 20) : factor;
}

std::vector<fs::path> units_called(const fs::path& devices, std::string_view prefix) {
  std::vector<fs::path> units;
  std::error_code unreadable;  // set if unreadable; the loop then has no entries
  for (const auto& entry : fs::directory_iterator(devices, unreadable)) {
    if (entry.path().filename().string().starts_with(prefix)) {
      units.push_back(entry.path());
    }
  }
  std::ranges::sort(units);
  return units;
}

void append_places(const fs::path& unit,
                   const memory_event& event,
                   std::vector<event_place>& places) {
  const auto type = base::read_integer(unit / "type");
  const auto text = base::read_text(unit / "events" / event.name);
  if (!type || (!text && event.encoding.empty())) {
    return;
  }
  auto code =
      encode_event(text ? std::string_view(*text) : event.encoding,
                   static_cast<std::uint32_t>(*type),
                   [&](std::string_view term) { return base::read_text(unit / "format" / term); });
  if (!code) {
    return;
  }
  code->is_user_only = false;  // a memory controller cannot tell user mode from kernel mode
  std::vector<int> cpus = base::parse_cpu_list(base::read_text(unit / "cpumask").value_or("0"));
  for (const int cpu : cpus) {
    places.push_back({.code = *code,
                      .thread_id = -1,
                      .cpu = cpu,
                      .unit_per_count = unit_bytes(unit / "events", event.name)});
  }
}

}  // namespace

std::optional<event_code> encode_event(
    std::string_view text,
    std::uint32_t type,
    const std::function<std::optional<std::string>(std::string_view)>& format_of) {
  event_code code{.type = type};
  while (!text.empty()) {
    std::string_view value_text = take_until(text, ',');
    const std::string_view term = take_until(value_text, '=');
    const auto format = format_of(term);
    const auto value =
        value_text.empty() ? std::optional<std::uint64_t>(1) : parse_number(value_text);
    if (!format || !value || !place_bits(*format, *value, code)) {
      return std::nullopt;
    }
  }
  return code;
}

std::vector<event_place> memory_event_places(const fs::path& root, memory_direction direction) {
  const fs::path devices = root / "sys/bus/event_source/devices";
  std::vector<event_place> places;
  for (const memory_event& event :
       direction == memory_direction::read ? read_events : write_events) {
    for (const fs::path& unit : units_called(devices, event.unit_prefix)) {
      append_places(unit, event, places);
    }
    if (!places.empty()) {
      break;
    }
  }
  return places;
}

}  // namespace weft::counters::detail
