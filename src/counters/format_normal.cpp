// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX's lines, one per counter: name, number of the evaluation, time, value, unit.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "weft/base/printable.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"

#include "counters/formats.hpp"
#include "counters/histogram_quantile.hpp"
#include "counters/number_text.hpp"

namespace weft::counters::detail {

namespace {

std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(double value) { return shortest(value); }

std::string text_of(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) {
    text += (text.empty() ? "" : ":") + std::to_string(value);
  }
  return text;
}

std::string text_of(const histogram_value& value) {
  return "sum=" + shortest(value.sum) + ":count=" + shortest(total_weight(value)) + ":p50<" +
         shortest(quantile(value, 0.5)) + ":p90<" + shortest(quantile(value, 0.9)) + ":p99<" +
         shortest(quantile(value, 0.99));
}

class normal_formatter final : public formatter {
 public:
  explicit normal_formatter(bool with_types) : with_types_(with_types) {}

  std::string print(const session_readings& readings, std::string_view description) override {
    std::string text = description.empty() ? "" : std::string(description) + '\n';
    const std::string moment =
        ',' + std::to_string(readings.number) + ',' + seconds_text(readings.since_start) + ",[s],";
    for (const session_reading& each : readings.values) {
      text += csv_cell(each.name) + moment + value_text(each) + '\n';
    }
    return printable(text);
  }

 private:
  [[nodiscard]] std::string value_text(const session_reading& reading) const {
    const counter_value& value = reading.value;
    std::string text = value.value ? plain_text(*value.value) : "unavailable";
    text += reading.unit.empty() ? "" : ",[" + reading.unit + ']';
    text += with_types_ ? ',' + hpx_kind_name(reading.kind, reading.unit) : "";
    if (!value.value) {
      return text + " (" + value.reason + ')';
    }
    return value.sampled ? text + ' ' + sampling_text(*value.sampled, *value.value, reading.unit)
                         : text;
  }

  bool with_types_;
};

}  // namespace

std::string plain_text(const counter_value::number& value) {
  return std::visit([](const auto& held) { return text_of(held); }, value);
}

std::string sampling_text(const sampling& sampled,
                          const counter_value::number& value,
                          std::string_view unit) {
  std::string text = "[sampled 1/" + shortest(std::round(sampled.one_in)) + ", +-";
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const double size = std::fabs(whole != nullptr  ? static_cast<double>(*whole)
                                : real != nullptr ? *real
                                                  : 0);
  if (!std::isfinite(sampled.half_width)) {
    return text + "unknown]";
  }
  if (size > 0) {
    return text + fixed(100 * sampled.half_width / size, 1) + " %]";
  }
  return text + shortest(sampled.half_width) + (unit.empty() ? "" : ' ' + std::string(unit)) + ']';
}

std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\n") == text.npos) {
    return std::string(text);
  }
  std::string cell = "\"";
  for (const char c : text) {
    cell += c == '"' ? "\"\"" : std::string(1, c);
  }
  return cell + '"';
}

std::string hpx_kind_name(counter_kind kind, std::string_view unit) {
  const bool is_time = unit == "ns" || unit == "s";
  switch (kind) {
    case counter_kind::total:
      return is_time ? "counter_type::elapsed_time" : "counter_type::monotonically_increasing";
    case counter_kind::quotient:
      return is_time ? "counter_type::average_timer" : "counter_type::average_count";
    case counter_kind::array:
      return "counter_type::raw_values";
    case counter_kind::histogram:
      return "counter_type::histogram";
    case counter_kind::gauge:
      break;
  }
  return "counter_type::raw";
}

std::unique_ptr<formatter> make_normal_formatter(bool with_types) {
  return std::make_unique<normal_formatter>(with_types);
}

}  // namespace weft::counters::detail
