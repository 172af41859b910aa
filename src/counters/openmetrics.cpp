// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collects the lines of each metric and prints the metrics one by one.
#include "weft/counters/openmetrics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/metric_names.hpp"
#include "counters/number_text.hpp"

namespace weft::counters {

namespace {

using detail::base_unit;
using detail::canonical;
using detail::label_list;

struct metric {
  std::string name;
  std::string type;
  std::string unit;
  std::string help = {};
  std::string lines = {};
  std::set<std::string> labels = {};  // those that have lines: a counter given twice is one
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
    to.lines += to.name + suffix + detail::to_string(with_labels) + ' ' + value + '\n';
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
      add(detail::with(labels, "index", std::to_string(i)), values[i]);
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
    add("_bucket",
        detail::with(labels, "le", canonical(upper)),
        std::to_string(std::llround(weight)));
  }
};

/// False: OpenMetrics has no place for such a total.
bool is_valid_total(const counter_value::number& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  return (whole == nullptr || *whole >= 0) && (real == nullptr || *real >= 0);
}

/// The metrics, in the order in which they first appear.
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
      all +=
          each.help.empty() ? "" : "# HELP " + each.name + ' ' + detail::escaped(each.help) + '\n';
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
    const base_unit unit = detail::base_unit_of(reading.unit);
    const label_list labels = detail::labels_of(name);
    metric& to = find({.name = detail::metric_name(name, unit),
                       .type = metric_type(reading.kind),
                       .unit = detail::sanitized(unit.base)});
    if (to.help.empty() && *help_) {
      to.help = (*help_)(type_name(name));
    }
    if (to.labels.insert(detail::to_string(labels)).second) {
      std::visit(line_writer{to, labels, unit}, value);
    }
  }

  void add_unavailable(const std::string& counter, const std::string& reason) {
    metric& to = find({.name = "weft_counter_unavailable", .type = "gauge", .unit = ""});
    to.help = "Counters that have no value now, and why.";
    if (to.labels.insert(counter).second) {
      to.lines += to.name + detail::to_string({{"counter", counter}, {"reason", reason}}) + " 1\n";
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
