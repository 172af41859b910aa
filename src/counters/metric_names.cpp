// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes counter names apart for metrics.
#include "counters/metric_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/printable.hpp"
#include "weft/counters/name.hpp"

namespace weft::counters::detail {

namespace {

constexpr std::array base_units = {base_unit{"ns", "seconds", 1, 1e9},
                                   base_unit{"us", "seconds", 1, 1e6},
                                   base_unit{"ms", "seconds", 1, 1e3},
                                   base_unit{"s", "seconds", 1, 1},
                                   base_unit{"bytes", "bytes", 1, 1},
                                   base_unit{"kB", "bytes", 1000, 1},
                                   base_unit{"KiB", "bytes", 1024, 1},
                                   base_unit{"J", "joules", 1, 1},
                                   base_unit{"W", "watts", 1, 1},
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

}  // namespace

std::string sanitized(std::string_view text) {
  std::string name(text);
  const auto is_other = [](char c) {
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
  };
  std::ranges::replace_if(name, is_other, '_');
  return name;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
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

std::string to_string(const label_list& labels) {
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

}  // namespace weft::counters::detail
