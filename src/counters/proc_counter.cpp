// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter over a number that something else keeps: the kernel in a file, or a system call.
#include "counters/proc_counter.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

namespace weft::counters::detail {
namespace {

using number = counter_value::number;

double as_double(const number& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

/// `now` minus `before`, exact where both are whole.
number subtract(const number& now, const number& before) {
  const auto* whole_now = std::get_if<std::int64_t>(&now);
  const auto* whole_before = std::get_if<std::int64_t>(&before);
  if (whole_now != nullptr && whole_before != nullptr) {
    return *whole_now - *whole_before;
  }
  return as_double(now) - as_double(before);
}

}  // namespace

counter_value added_since(const counter_value& before, const counter_value& now) {
  if (!now.value) {
    return now;
  }
  if (!before.value) {
    return unavailable("not known when counting began (" + before.reason +
                       "); reset to count from now on");
  }
  const number added = subtract(*now.value, *before.value);
  if (as_double(added) < 0) {
    return unavailable(
        "went down since counting began: what is counted began anew; reset to "
        "count from now on");
  }
  return {.value = added, .reason = {}, .sampled = now.sampled};
}

proc_counter::proc_counter(counter_kind kind, number_reader read)
    : kind_(kind), read_(std::move(read)) {}

counter_value proc_counter::evaluate(evaluation& now) {
  counter_value value = read_(now);
  return baseline_ ? added_since(*baseline_, value) : value;
}

void proc_counter::reset(evaluation& now) {
  if (kind_ == counter_kind::total) {
    baseline_ = read_(now);
  }
}

counter_name total_of(const counter_type& type) { return complete(parse_counter_name(type.name)); }

counter_name instance_of(const counter_type& type, instance_part child) {
  counter_name name = parse_counter_name(type.name);
  name.instance = {{.name = "locality", .index = std::uint32_t{0}}, std::move(child)};
  return name;
}

}  // namespace weft::counters::detail
