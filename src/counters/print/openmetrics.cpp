// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the lines of each metric, and prints one metric after the other.
#include "weft/counters/openmetrics.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/printable.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/print/number_text.hpp"

namespace weft::counters {

namespace {

/// A counter's unit, and the base unit that its metric must use.
struct base_unit {
  std::string_view unit;
  std::string_view base;
  double multiplier;
  double divisor;  // one of the two factors is 1: dividing by 1e9 rounds once, multiplying twice

  [[nodiscard]] bool is_same() const noexcept { return multiplier == 1 && divisor == 1; }
  [[nodiscard]] double convert(double value) const noexcept { return value * multiplier / divisor; }
};

using label_list = std::vector<std::pair<std::string, std::string>>;

constexpr std::array base_units = {base_unit{"ns", "seconds", 1, 1e9},
                                   base_unit{"us", "seconds", 1, 1e6},
                                   base_unit{"ms", "seconds", 1, 1e3},
                                   base_unit{"s", "seconds", 1, 1},
                                   base_unit{"bytes", "bytes", 1, 1},
                                   base_unit{"kB", "bytes", 1000, 1},
                                   base_unit{"KiB", "bytes", 1024, 1},
                                   base_unit{"J", "joules", 1, 1},
                                   base_unit{"W", "watts", 1, 1},
                                   base_unit{"C", "celsius", 1, 1},
                                   base_unit{"MHz", "hertz", 1e6, 1},
                                   base_unit{"0.01%", "ratio", 1, 1e4},
                                   base_unit{"0.1%", "ratio", 1, 1e3},
                                   base_unit{"%", "ratio", 1, 100},
                                   base_unit{"1/s", "per_second", 1, 1},
                                   base_unit{"bytes/s", "bytes_per_second", 1, 1},
                                   base_unit{"events", "", 1, 1}};

std::string text_of(const instance_index& index) {
  if (const auto* number = std::get_if<std::uint32_t>(&index)) {
    return std::to_string(*number);
  }
  const auto* name = std::get_if<std::string>(&index);
  return name == nullptr ? "" : *name;
}

/// Returns `text` with only letters, digits and `_`.
std::string sanitized(std::string_view text) {
  std::string name(text);
  const auto is_other = [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
  };
  std::ranges::replace_if(name, is_other, '_');
  return name;
}

std::string label_name(const instance_part& part) {
  if (part.name == "locality") {
    return "rank";
  }
  return part.name == "worker-thread" ? "worker" : sanitized(part.name);
}

void add_instance(const std::vector<instance_part>& instance, label_list& labels) {
  std::string unnumbered;
  for (const instance_part& part : instance) {
    if (!std::holds_alternative<std::monostate>(part.index)) {
      labels.emplace_back(label_name(part), text_of(part.index));
    } else if (part.name != "total") {
      unnumbered += (unnumbered.empty() ? "" : "/") + part.name;
    }
  }
  if (!unnumbered.empty()) {
    labels.emplace_back("instance", unnumbered);
  }
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : base::printable(text)) {
    if (c == '\\' || c == '"') {
      result += '\\';
    }
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result;
}

base_unit base_unit_of(std::string_view unit) {
  const auto* const found = std::ranges::find(base_units, unit, &base_unit::unit);
  return found == base_units.end() ? base_unit{unit, unit, 1, 1} : *found;
}

label_list labels_of(const counter_name& name) {
  label_list labels;
  add_instance(name.base.empty() ? name.instance : name.base[0].instance, labels);
  if (!name.base.empty()) {
    labels.emplace_back("counter", type_name(name.base[0]));
  }
  if (!name.parameters.empty()) {
    labels.emplace_back("parameters", name.parameters);
  }
  return labels;
}

label_list with(label_list labels, std::string name, std::string value) {
  labels.emplace_back(std::move(name), std::move(value));
  return labels;
}

std::string text_of_labels(const label_list& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += (text.empty() ? "{" : ",") + name + "=\"" + escaped(value) + '"';
  }
  return text.empty() ? text : text + '}';
}

std::string metric_name(const counter_name& name, const base_unit& unit) {
  const std::string stem = "weft_" + sanitized(type_name(name).substr(1));
  return unit.base.empty() ? stem : stem + '_' + sanitized(unit.base);
}

using detail::canonical;

struct metric {
  std::string name;
  std::string type;
  std::string unit;
  std::string help = {};
  std::string lines = {};
  // labels of existing lines: a counter given twice is printed once
  std::set<std::string> labels = {};
};

const char* metric_type(counter_kind kind) {
  switch (kind) {
    case counter_kind::total:
      return "counter";
    case counter_kind::histogram:
      return "histogram";
    case counter_kind::gauge:
    case counter_kind::quotient:
    case counter_kind::array:
      break;
  }
  return "gauge";
}

/// Adds the lines of one counter to its metric.
struct line_writer {
  metric& to;
  const label_list& labels;
  base_unit unit;

  void add(const std::string& suffix, const label_list& with_labels, const std::string& value) {
    to.lines += to.name + suffix + text_of_labels(with_labels) + ' ' + value + '\n';
  }
  void add(const label_list& with_labels, double value) {
    add(to.type == "counter" ? "_total" : "", with_labels, canonical(unit.convert(value)));
  }
  void add(const label_list& with_labels, std::int64_t value) {
    if (unit.is_same()) {
      add(to.type == "counter" ? "_total" : "", with_labels, std::to_string(value));
    } else {
      add(with_labels, static_cast<double>(value));
    }
  }

  void operator()(std::int64_t value) { add(labels, value); }
  void operator()(double value) { add(labels, value); }
  void operator()(const std::vector<std::int64_t>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      add(with(labels, "index", std::to_string(i)), values[i]);
    }
  }
  void operator()(const histogram_value& value) {
    double weight = 0;
    for (const histogram_value::bucket& each : value.buckets) {
      weight += each.weight;
      if (!std::isinf(each.upper)) {
        add_bucket(unit.convert(each.upper), weight);
      }
    }
    add_bucket(HUGE_VAL, weight);
    add("_sum", labels, canonical(unit.convert(value.sum)));
    add("_count", labels, std::to_string(std::llround(weight)));
  }

 private:
  void add_bucket(double upper, double weight) {
    add("_bucket", with(labels, "le", canonical(upper)), std::to_string(std::llround(weight)));
  }
};

/// False: OpenMetrics cannot represent this total.
bool is_valid_total(const counter_value::number& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  return (whole == nullptr || *whole >= 0) && (real == nullptr || *real >= 0);
}

/// The metrics, in the order of their first appearance.
class metric_list {
 public:
  explicit metric_list(const help_lookup& help) : help_(&help) {}

  void add(const session_reading& reading) {
    const std::optional<counter_value::number>& value = reading.value.value;
    if (!value) {
      add_unavailable(reading.name, reading.value.reason);
    } else if (reading.kind == counter_kind::total && !is_valid_total(*value)) {
      add_unavailable(reading.name, "a total that is negative, or no number");
    } else {
      add(reading, *value);
    }
  }

  void add_time(std::chrono::system_clock::time_point time) {
    metric& to = find({.name = "weft_readings_time_seconds", .type = "gauge", .unit = "seconds"});
    to.help = "When the values were read, since 1970.";
    to.lines = to.name + ' ' + detail::seconds_text(time.time_since_epoch()) + '\n';
  }

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const metric& each : metrics_) {
      all += "# TYPE " + each.name + ' ' + each.type + '\n';
      all += each.unit.empty() ? "" : "# UNIT " + each.name + ' ' + each.unit + '\n';
      all += each.help.empty() ? "" : "# HELP " + each.name + ' ' + escaped(each.help) + '\n';
      all += each.lines;
    }
    return all + "# EOF\n";
  }

 private:
  metric& find(const metric& like) {
    const auto found = std::ranges::find(metrics_, like.name, &metric::name);
    return found != metrics_.end() ? *found : metrics_.emplace_back(like);
  }

  void add(const session_reading& reading, const counter_value::number& value) {
    const counter_name name = parse_counter_name(reading.name);
    const base_unit unit = base_unit_of(reading.unit);
    const label_list labels = labels_of(name);
    metric& to = find({.name = metric_name(name, unit),
                       .type = metric_type(reading.kind),
                       .unit = sanitized(unit.base)});
    if (to.help.empty() && *help_) {
      to.help = (*help_)(type_name(name));
    }
    if (to.labels.insert(text_of_labels(labels)).second) {
      std::visit(line_writer{to, labels, unit}, value);
    }
  }

  void add_unavailable(const std::string& counter, const std::string& reason) {
    metric& to = find({.name = "weft_counter_unavailable", .type = "gauge", .unit = ""});
    to.help = "Counters that have no value now, and why.";
    if (to.labels.insert(counter).second) {
      to.lines += to.name + text_of_labels({{"counter", counter}, {"reason", reason}}) + " 1\n";
    }
  }

  const help_lookup* help_;
  std::vector<metric> metrics_;
};

}  // namespace

std::string registered_help(const std::string& type_name) {
  try {
    return process_counters().type_of(parse_counter_name(type_name)).help;
  } catch (const error&) {
    return {};
  }
}

std::string openmetrics_text(const session_readings& readings, const help_lookup& help) {
  metric_list metrics(help);
  metrics.add_time(readings.time);
  for (const session_reading& each : readings.values) {
    metrics.add(each);
  }
  return metrics.text();
}

}  // namespace weft::counters
