// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object per evaluation: one per line, or all in one array.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"

#include "counters/formats.hpp"
#include "counters/number_text.hpp"

namespace weft::counters::detail {

namespace {

const char* kind_name(counter_kind kind) {
  switch (kind) {
    case counter_kind::total:
      return "total";
    case counter_kind::quotient:
      return "quotient";
    case counter_kind::array:
      return "array";
    case counter_kind::histogram:
      return "histogram";
    case counter_kind::gauge:
      break;
  }
  return "gauge";
}

std::string text_of(std::int64_t value) { return std::to_string(value); }
/// JSON has neither NaN nor infinity.
std::string text_of(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

std::string text_of(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) {
    text += (text.empty() ? "[" : ",") + std::to_string(value);
  }
  return text.empty() ? "[]" : text + ']';
}

std::string text_of(const histogram_value& value) {
  std::string text = "{\"sum\":" + text_of(value.sum) + ",\"buckets\":[";
  const char* separator = "";
  for (const histogram_value::bucket& each : value.buckets) {
    text += separator;
    text += "{\"upper\":" + text_of(each.upper) + ",\"weight\":" + text_of(each.weight) + '}';
    separator = ",";
  }
  return text + "]}";
}

std::string text_of(const session_reading& reading) {
  std::string text = "{\"name\":" + json_string(reading.name) +
                     ",\"unit\":" + json_string(reading.unit) + ",\"kind\":\"" +
                     kind_name(reading.kind) + "\",\"value\":";
  const counter_value& value = reading.value;
  if (!value.value) {
    return text + "null,\"reason\":" + json_string(value.reason) + '}';
  }
  text += std::visit([](const auto& held) { return text_of(held); }, *value.value);
  if (value.sampled) {
    text += ",\"sampled\":{\"one_in\":" + text_of(value.sampled->one_in) +
            ",\"num_samples\":" + std::to_string(value.sampled->num_samples) +
            ",\"half_width\":" + text_of(value.sampled->half_width) + '}';
  }
  return text + '}';
}

std::string text_of(const session_readings& readings, std::string_view description) {
  std::string text = "{\"number\":" + std::to_string(readings.number) + ",\"time\":\"" +
                     utc_text(readings.time) +
                     "\",\"since_start_s\":" + seconds_text(readings.since_start);
  text += description.empty() ? "" : ",\"description\":" + json_string(description);
  text += ",\"values\":[";
  const char* separator = "";
  for (const session_reading& each : readings.values) {
    text += separator + text_of(each);
    separator = ",";
  }
  return text + "]}";
}

class json_lines_formatter final : public formatter {
 public:
  std::string print(const session_readings& readings, std::string_view description) override {
    return text_of(readings, description) + '\n';
  }
};

class json_formatter final : public formatter {
 public:
  std::string begin() override { return "["; }
  std::string print(const session_readings& readings, std::string_view description) override {
    const char* const separator = is_first_ ? "\n" : ",\n";
    is_first_ = false;
    return separator + text_of(readings, description);
  }
  std::string end() override { return "\n]\n"; }

 private:
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<formatter> make_json_formatter(bool is_lines) {
  if (is_lines) {
    return std::make_unique<json_lines_formatter>();
  }
  return std::make_unique<json_formatter>();
}

}  // namespace weft::counters::detail
