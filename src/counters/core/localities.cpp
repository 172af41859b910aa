// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of this process in its job.
#include "counters/core/localities.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "weft/counters/name.hpp"

#include "counters/core/name_text.hpp"

namespace weft::counters::detail {
namespace {

constexpr const char* locality = "locality";
std::atomic<std::uint32_t> number_in_job{0};

bool names_locality(const counter_name& name) {
  return !name.instance.empty() &&
         (name.instance.front().name == locality || is_star(name.instance.front()));
}

bool is_name(const std::string& parameter) { return parameter.starts_with('/'); }

}  // namespace

std::uint32_t own_locality() noexcept { return number_in_job.load(std::memory_order_relaxed); }

void set_own_locality(std::uint32_t number) noexcept {
  number_in_job.store(number, std::memory_order_relaxed);
}

instance_part own_locality_part() { return {.name = locality, .index = own_locality()}; }

bool is_of_other_locality(const counter_name& name) {
  return means_others(name) && std::holds_alternative<std::uint32_t>(name.instance.front().index);
}

bool means_others(const counter_name& pattern) {
  return names_locality(pattern) && pattern.instance.front() != own_locality_part();
}

bool has_locality(const counter_name& name) {
  const std::vector<std::string> parameters = split_parameters(name.parameters);
  return names_locality(name) || std::ranges::any_of(name.base, has_locality) ||
         std::ranges::any_of(parameters, [](const std::string& each) {
           return is_name(each) && has_locality(parse_counter_name(each));
         });
}

counter_name at_own_locality(counter_name name) {
  if (names_locality(name)) {
    if (name.instance.size() == 1 && is_star(name.instance.front())) {
      name.instance.push_back(name.instance.front());  // all that this locality has
    }
    name.instance.front() = own_locality_part();
  }
  std::ranges::transform(name.base, name.base.begin(), at_own_locality);
  std::vector<std::string> parameters = split_parameters(name.parameters);
  for (std::string& each : parameters) {
    each = is_name(each) ? to_string(at_own_locality(parse_counter_name(each))) : each;
  }
  name.parameters = join_parameters(parameters);
  return name;
}

}  // namespace weft::counters::detail
