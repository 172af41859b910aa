// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the counters of a registry.
#include "counters/print/list_text.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/printable.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/print/counter_options.hpp"
#include "counters/print/formats.hpp"

namespace weft::counters::detail {

namespace {

counter_name with_stars(counter_name name) {
  for (instance_part& part : name.instance) {
    if (std::holds_alternative<std::uint32_t>(part.index)) {
      part.index = every_index{};
    }
  }
  return name;
}

/// Returns the names to list. A type without listed counters, such as one that refines others, is
/// listed itself.
std::vector<std::string> names_of(const registry& from,
                                  const counter_type& type,
                                  list_extent extent) {
  std::vector<std::string> names;
  try {
    for (const counter_name& each : from.discover(parse_counter_name(type.name))) {
      names.push_back(to_string(extent == list_extent::full ? each : with_stars(each)));
    }
  } catch (const error&) {
    names.push_back(type.name);
  }
  return names;
}

/// Returns every name once: an open type such as /perf/* also finds names of other families.
std::vector<std::string> all_names(const registry& from, list_extent extent) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const counter_type& type : from.types()) {
    for (std::string& name : names_of(from, type, extent)) {
      if (known.insert(name).second) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

/// Returns why a counter has no value at this moment; empty: it has one, or is not a single
/// counter.
std::string reason_of(const registry& from, const std::string& name) {
  try {
    const std::unique_ptr<counter> each = from.make(parse_counter_name(name));
    evaluation begin;
    each->reset(begin);
    evaluation end;
    return each->evaluate(end).reason;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

std::string list_text(const registry& from, list_extent extent) {
  std::string text;
  for (const std::string& name : all_names(from, extent)) {
    text += name + '\n';
  }
  return text;
}

std::string list_infos_text(const registry& from, list_extent extent) {
  std::string text;
  for (const std::string& name : all_names(from, extent)) {
    const counter_type type = from.type_of(parse_counter_name(name));
    text += "fullname: " + name + "\nhelptext: " + type.help +
            "\ntype:     " + hpx_kind_name(type.kind, type.unit) +
            "\nunit:     " + (type.unit.empty() ? "a number" : type.unit) + '\n';
    const std::string reason = extent == list_extent::full ? reason_of(from, name) : "";
    text += (reason.empty() ? "" : "now:      unavailable, " + reason + '\n') + '\n';
  }
  return text;
}

std::string lists_text(const counter_plan& plan) {
  const registry& all = process_counters();
  return base::printable((plan.list ? list_text(all, *plan.list) : "") +
                         (plan.list_infos ? list_infos_text(all, *plan.list_infos) : ""));
}

}  // namespace weft::counters::detail
