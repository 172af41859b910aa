// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a JSON line into a cell.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/harness/cells.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"

namespace weft::lab {
namespace {

using nlohmann::json;

/// Numbers as typed, strings without their quotes, as on a command line.
std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void read_params(const json& params, cell& what) {
  if (!params.is_object()) {
    throw bad_cell("params", "params must be an object of whole numbers such as {\"k_it\": 1000}");
  }
  for (const auto& [name, value] : params.items()) {
    set_param(what, name, text_of(value));
  }
}

void refuse_near_miss(const std::string& key) {
  if (const auto meant = nearest_name(key, cell_field_names())) {
    throw bad_cell(key, "unknown field \"" + key + "\"; did you mean \"" + *meant + "\"?");
  }
}

/// Parses a line. Duplicate keys are errors: one would be measured and the other silently ignored.
json parse_line(std::string_view line) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&keys](int /*depth*/, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key && !keys.back().insert(parsed).second) {
      throw bad_cell("line",
                     "field \"" + parsed.get<std::string>() + "\" is given twice; leave one out");
    }
    return true;
  };
  try {
    return json::parse(line, watch);
  } catch (const json::exception& problem) {
    throw bad_cell("line", std::string("the line is not valid JSON: ") + problem.what());
  }
}

}  // namespace

void read_cell(std::string_view line, cell& what) {
  const json object = parse_line(line);
  if (!object.is_object()) {
    throw bad_cell("line", "the line must hold one JSON object such as {\"problem\": \"sort\"}");
  }
  // The id first: without it, an answer cannot be matched to its question.
  if (object.contains("id")) {
    set_field(what, "id", text_of(object["id"]));
  }
  for (const auto& [key, value] : object.items()) {
    const auto names = cell_field_names();
    if (key == "params") {
      read_params(value, what);
    } else if (std::find(names.begin(), names.end(), key) != names.end()) {
      set_field(what, key, text_of(value));
    } else {
      refuse_near_miss(key);
    }
  }
}

}  // namespace weft::lab
