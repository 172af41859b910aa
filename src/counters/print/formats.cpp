// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats for programs: lines as HPX prints them, CSV, JSON and OpenMetrics.
#include "counters/print/formats.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/printable.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/openmetrics.hpp"
#include "weft/counters/session.hpp"

#include "counters/core/histograms.hpp"
#include "counters/print/number_text.hpp"

namespace weft::counters::detail {

namespace {

class openmetrics_formatter final : public formatter {
 public:
  std::string print(const session_readings& readings, std::string_view /*description*/) override {
    return openmetrics_text(readings);
  }
  bool replaces() const override { return true; }
};

}  // namespace

std::unique_ptr<formatter> make_formatter(const format_options& options) {
  switch (options.format) {
    case print_format::csv:
    case print_format::csv_short:
      return make_csv_formatter(options);
    case print_format::json:
    case print_format::jsonl:
      return make_json_formatter(options.format == print_format::jsonl);
    case print_format::openmetrics:
      return std::make_unique<openmetrics_formatter>();
    case print_format::summary:
      return make_summary_formatter();
    case print_format::normal:
      break;
  }
  return make_normal_formatter(options.with_types);
}

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
    return base::printable(text);
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

namespace {

class csv_formatter final : public formatter {
 public:
  csv_formatter(std::vector<std::string> columns, std::vector<std::string> titles, bool has_header)
      : columns_(std::move(columns)), titles_(std::move(titles)), has_header_(has_header) {}

  std::string begin() override {
    if (!has_header_) {
      return {};
    }
    std::string text = "number,time,since_start_s,description";
    for (const std::string& title : titles_) {
      text += ',' + csv_cell(title);
    }
    return base::printable(text) + '\n';
  }

  std::string print(const session_readings& readings, std::string_view description) override {
    std::string text = std::to_string(readings.number) + ',' + utc_text(readings.time) + ',' +
                       seconds_text(readings.since_start) + ',' + csv_cell(description);
    for (const std::string& column : columns_) {
      text += ',' + cell_of(readings, column);
    }
    return base::printable(text) + '\n';
  }

  bool hides_reasons() const override { return true; }

 private:
  static std::string cell_of(const session_readings& readings, const std::string& column) {
    for (const session_reading& each : readings.values) {
      if (each.name == column && each.value.value) {
        return csv_cell(plain_text(*each.value.value));
      }
    }
    return {};
  }

  std::vector<std::string> columns_;
  std::vector<std::string> titles_;
  bool has_header_;
};

}  // namespace

std::unique_ptr<formatter> make_csv_formatter(const format_options& options) {
  const bool is_short = options.format == print_format::csv_short;
  return std::make_unique<csv_formatter>(
      options.columns, is_short ? options.short_names : options.columns, options.csv_header);
}

namespace {

std::string json_of(std::int64_t value) { return std::to_string(value); }
/// JSON has no NaN and no infinity.
std::string json_of(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

std::string json_of(const std::vector<std::int64_t>& values) {
  std::string text;
  for (const std::int64_t value : values) {
    text += (text.empty() ? "[" : ",") + std::to_string(value);
  }
  return text.empty() ? "[]" : text + ']';
}

std::string json_of(const histogram_value& value) {
  std::string text = "{\"sum\":" + json_of(value.sum) + ",\"buckets\":[";
  const char* separator = "";
  for (const histogram_value::bucket& each : value.buckets) {
    text += separator;
    text += "{\"upper\":" + json_of(each.upper) + ",\"weight\":" + json_of(each.weight) + '}';
    separator = ",";
  }
  return text + "]}";
}

std::string json_of(const session_reading& reading) {
  std::string text = "{\"name\":" + json_string(reading.name) +
                     ",\"unit\":" + json_string(reading.unit) + ",\"kind\":\"" +
                     kind_name(reading.kind) + "\",\"value\":";
  const counter_value& value = reading.value;
  if (!value.value) {
    return text + "null,\"reason\":" + json_string(value.reason) + '}';
  }
  text += std::visit([](const auto& held) { return json_of(held); }, *value.value);
  if (value.sampled) {
    text += ",\"sampled\":{\"one_in\":" + json_of(value.sampled->one_in) +
            ",\"num_samples\":" + std::to_string(value.sampled->num_samples) +
            ",\"half_width\":" + json_of(value.sampled->half_width) + '}';
  }
  return text + '}';
}

std::string json_of(const session_readings& readings, std::string_view description) {
  std::string text = "{\"number\":" + std::to_string(readings.number) + ",\"time\":\"" +
                     utc_text(readings.time) +
                     "\",\"since_start_s\":" + seconds_text(readings.since_start);
  text += description.empty() ? "" : ",\"description\":" + json_string(description);
  text += ",\"values\":[";
  const char* separator = "";
  for (const session_reading& each : readings.values) {
    text += separator + json_of(each);
    separator = ",";
  }
  return text + "]}";
}

class json_lines_formatter final : public formatter {
 public:
  std::string print(const session_readings& readings, std::string_view description) override {
    return json_of(readings, description) + '\n';
  }
};

class json_formatter final : public formatter {
 public:
  std::string begin() override { return "["; }
  std::string print(const session_readings& readings, std::string_view description) override {
    const char* const separator = is_first_ ? "\n" : ",\n";
    is_first_ = false;
    return separator + json_of(readings, description);
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
