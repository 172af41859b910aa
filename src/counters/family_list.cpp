// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of a registry by name.
#include "counters/family_list.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/name.hpp"

#include "counters/family_entry.hpp"

namespace weft::counters::detail {
namespace {

/// Object and counter alone, which match all instances.
counter_name type_only(const counter_name& name) {
  return {.object = name.object, .counter = name.counter};
}

bool is_meant(const family_entry& family, const counter_name& pattern) {
  return matches(type_only(pattern), family.type_pattern()) ||
         (family.is_open() && type_name(pattern).starts_with(family.prefix())) ||
         (!pattern.base.empty() && is_meant(family, pattern.base.front()));
}

}  // namespace

void family_list::add(const entry& family) {
  const std::scoped_lock lock(mutex_);
  const std::string& name = family->type().name;
  if (!by_type_.try_emplace(name, family).second) {
    throw error("counter " + name +
                " is registered already; choose another name, or end the registration that has it");
  }
  ++generation_;
}

void family_list::remove(const family_entry& family) {
  const std::scoped_lock lock(mutex_);
  by_type_.erase(family.type().name);
  ++generation_;
}

std::vector<family_list::entry> family_list::all() const {
  const std::scoped_lock lock(mutex_);
  std::vector<entry> entries;
  entries.reserve(by_type_.size());
  for (const auto& [name, family] : by_type_) {
    entries.push_back(family);
  }
  return entries;
}

std::vector<family_list::entry> family_list::meant_by(const counter_name& pattern) const {
  std::vector<entry> entries = all();
  std::erase_if(entries, [&](const entry& each) { return !is_meant(*each, pattern); });
  return entries;
}

family_list::entry family_list::find(const counter_name& name) const {
  const std::string wanted = type_name(name);
  const std::scoped_lock lock(mutex_);
  if (const auto found = by_type_.find(wanted); found != by_type_.end()) {
    return found->second;
  }
  for (std::size_t slash = wanted.rfind('/'); slash != 0 && slash != wanted.npos;
       slash = wanted.rfind('/', slash - 1)) {
    const auto found = by_type_.find(wanted.substr(0, slash) + "/*");
    if (found != by_type_.end() && found->second->is_open()) {
      return found->second;
    }
  }
  return nullptr;
}

bool has_type_wildcard(const counter_name& name) {
  return type_name(name).find_first_of("*?[") != std::string::npos;
}

bool has_instance_wildcard(const counter_name& name) {
  return std::ranges::any_of(name.instance, [](const instance_part& part) {
    return part.name == "*" || std::holds_alternative<every_index>(part.index);
  });
}

}  // namespace weft::counters::detail
