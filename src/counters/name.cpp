// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints counter names, and completes them.
#include "weft/counters/name.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "weft/base/error.hpp"

#include "counters/name_text.hpp"

namespace weft::counters {
namespace {

struct index_printer {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::uint32_t number) const { return '#' + std::to_string(number); }
  std::string operator()(every_index) const { return "#*"; }
  std::string operator()(const std::string& pool) const { return '#' + pool; }
};

std::string printed(const counter_name& name) {
  std::string text;
  if (name.object == "counters" && name.instance.empty() && name.base.empty()) {
    text = "/counters";  // else the object would be taken for the prefix
  }
  text += '/' + name.object;
  if (!name.instance.empty() || !name.base.empty()) {
    text += '{' + detail::instance_text(name) + '}';
  }
  if (!name.counter.empty()) {
    text += '/' + name.counter;
  }
  if (!name.parameters.empty()) {
    text += '@' + name.parameters;
  }
  return text;
}

}  // namespace

std::string detail::instance_text(const counter_name& name) {
  if (!name.base.empty()) {
    return printed(name.base.front());
  }
  std::string text;
  const char* separator = "";
  for (const instance_part& part : name.instance) {
    text += separator + part.name + std::visit(index_printer{}, part.index);
    separator = "/";
  }
  return text;
}

std::string to_string(const counter_name& name) {
  std::string text = printed(name);
  if (parse_counter_name(text) != name) {
    throw error("a counter name put together by hand prints as " + text +
                ", which reads differently: a part of it holds what ends that part; build names "
                "with parse_counter_name");
  }
  return text;
}

std::string type_name(const counter_name& name) {
  return '/' + name.object + (name.counter.empty() ? "" : '/' + name.counter);
}

counter_name complete(counter_name name) {
  if (!name.base.empty()) {
    name.base.front() = complete(std::move(name.base.front()));
  } else if (name.instance.empty()) {
    name.instance = {{.name = "locality", .index = std::uint32_t{0}}, {.name = "total"}};
  }
  return name;
}

}  // namespace weft::counters
