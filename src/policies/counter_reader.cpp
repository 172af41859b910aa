// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resets the counters at each call, so that averages and rates are those of one period.
#include "policies/counter_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"
#include "weft/policies/readings.hpp"

namespace weft::policies::detail {
namespace {

std::optional<double> number_of(const counters::counter_value& value) {
  if (!value.value) {
    return std::nullopt;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&*value.value)) {
    return static_cast<double>(*whole);
  }
  const auto* real = std::get_if<double>(&*value.value);
  return real != nullptr ? std::optional(*real) : std::nullopt;
}

}  // namespace

readings counter_reader::read() {
  counters::session_readings now = session_.evaluate(counters::after_reading::reset);
  readings result{.number = now.number, .since_last = now.since_start - before_, .all = {}};
  before_ = now.since_start;
  result.all.reserve(now.values.size());
  for (counters::session_reading& each : now.values) {
    reading& added = result.all.emplace_back();
    added.value = number_of(each.value);
    added.reason =
        each.value.value && !added.value ? "it is not one number" : std::move(each.value.reason);
    if (each.kind == counters::counter_kind::total) {
      added.change = std::exchange(added.value, std::nullopt);
      std::optional<double>& sum = sums_.try_emplace(each.name, 0.0).first->second;
      sum = sum && added.change ? std::optional(*sum + *added.change) : std::nullopt;
      added.value = sum;
      if (!sum && added.change) {
        added.reason = "the change in an earlier period is unknown";
      }
    }
    added.name = std::move(each.name);
    added.unit = std::move(each.unit);
  }
  return result;
}

}  // namespace weft::policies::detail
