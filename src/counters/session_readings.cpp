// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds one value among those of an evaluation, and prints it.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/session.hpp"

#include "base/nearest_name.hpp"
#include "counters/formats.hpp"

namespace weft::counters {
namespace {

const session_reading& find_reading(const session_readings& readings, std::string_view text) {
  const counter_name name = parse_counter_name(text);
  const std::string full = to_string(complete(name));
  std::vector<const session_reading*> meant;
  for (const session_reading& each : readings.values) {
    if (each.name == full || each.name == text) {
      return each;
    }
    if (matches(name, parse_counter_name(each.name))) {
      meant.push_back(&each);
    }
  }
  if (meant.size() == 1) {
    return *meant.front();
  }
  if (!meant.empty()) {
    throw error("counter name " + std::string(text) + " means " + std::to_string(meant.size()) +
                " counters of this session; write one of them, such as " + meant.front()->name);
  }
  const auto nearest = weft::detail::nearest_name(readings.values, full, &session_reading::name);
  throw error("the session has no counter " + std::string(text) +
              (nearest == readings.values.end() ? "; it has none"
                                                : "; did you mean " + nearest->name + "?"));
}

const counter_value::number& value_of(const session_reading& reading) {
  if (!reading.value.value) {
    throw error("counter " + reading.name + " has no value: " + reading.value.reason);
  }
  return *reading.value.value;
}

}  // namespace

std::string to_string(const session_reading& reading) {
  const counter_value& value = reading.value;
  if (!value.value) {
    return "unavailable (" + value.reason + ')';
  }
  std::string text = detail::plain_text(*value.value);
  text += reading.unit.empty() ? "" : ' ' + reading.unit;
  return value.sampled
             ? text + ' ' + detail::sampling_text(*value.sampled, *value.value, reading.unit)
             : text;
}

double session_readings::number_of(std::string_view name) const {
  const session_reading& reading = find_reading(*this, name);
  const counter_value::number& value = value_of(reading);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*whole);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return *real;
  }
  throw error("the value of counter " + reading.name +
              " is not one number; take it from session_readings::values");
}

const histogram_value& session_readings::histogram_of(std::string_view name) const {
  const session_reading& reading = find_reading(*this, name);
  const auto* histogram = std::get_if<histogram_value>(&value_of(reading));
  if (histogram == nullptr) {
    throw error("the value of counter " + reading.name +
                " is no histogram; take it from session_readings::values");
  }
  return *histogram;
}

}  // namespace weft::counters
