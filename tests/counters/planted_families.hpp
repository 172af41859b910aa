// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes and reads counters of families that no registry has.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

namespace weft::counters::test {

inline double number_of(const counter_value& value) {
  if (!value.value) {
    throw std::runtime_error("unavailable: " + value.reason);
  }
  const auto* whole = std::get_if<std::int64_t>(&*value.value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(*value.value);
}

inline counter_value read(counter& from) {
  evaluation now;
  return from.evaluate(now);
}

inline void reset(counter& which) {
  evaluation now;
  which.reset(now);
}

class planted_families {
 public:
  explicit planted_families(std::vector<counter_family> families)
      : families_(std::move(families)) {}

  [[nodiscard]] const std::vector<counter_family>& all() const { return families_; }

  /// The family of a name: the one called so, or an open one that takes it.
  [[nodiscard]] const counter_family& family_of(std::string_view name) const {
    const std::string type = type_name(parse_counter_name(name));
    const counter_family* open = nullptr;
    for (const counter_family& each : families_) {
      if (each.type.name == type) {
        return each;
      }
      if (each.is_open && type.starts_with(each.type.name.substr(0, each.type.name.size() - 1))) {
        open = &each;
      }
    }
    if (open == nullptr) {
      throw std::out_of_range("no family for " + std::string(name));
    }
    return *open;
  }

  [[nodiscard]] std::unique_ptr<counter> make(std::string_view name) const {
    return family_of(name).make(complete(parse_counter_name(name)));
  }

  /// The names of a type's instances.
  [[nodiscard]] std::vector<std::string> instances(std::string_view type) const {
    std::vector<std::string> names;
    for (const counter_name& name : family_of(type).instances()) {
      names.push_back(to_string(name));
    }
    return names;
  }

 private:
  std::vector<counter_family> families_;
};

}  // namespace weft::counters::test
