// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of this process in its job.
#include "counters/core/localities.hpp"

#include <atomic>
#include <cstdint>
#include <variant>

#include "weft/counters/name.hpp"

#include "counters/core/name_text.hpp"

namespace weft::counters::detail {
namespace {

constexpr const char* locality = "locality";
std::atomic<std::uint32_t> number_in_job{0};

}  // namespace

std::uint32_t own_locality() noexcept { return number_in_job.load(std::memory_order_relaxed); }

void set_own_locality(std::uint32_t number) noexcept {
  number_in_job.store(number, std::memory_order_relaxed);
}

instance_part own_locality_part() { return {.name = locality, .index = own_locality()}; }

bool is_of_other_locality(const counter_name& name) {
  if (name.instance.empty() || name.instance.front().name != locality) {
    return false;
  }
  const auto* const number = std::get_if<std::uint32_t>(&name.instance.front().index);
  return number != nullptr && *number != own_locality();
}

bool means_others(const counter_name& pattern) {
  if (pattern.instance.empty()) {
    return false;
  }
  const instance_part& first = pattern.instance.front();
  const bool is_every_one =
      first.name == locality && std::holds_alternative<every_index>(first.index);
  return is_star(first) || is_every_one || is_of_other_locality(pattern);
}

}  // namespace weft::counters::detail
