// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that options accept: whole numbers, sizes, durations, yes and no.
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "weft/base/options.hpp"

namespace weft::base {

namespace {

template <class Factor>
struct unit {
  std::string_view name;
  Factor factor;
};

constexpr std::array byte_units = {unit<std::size_t>{"", 1},
                                   unit<std::size_t>{"KiB", std::size_t{1} << 10},
                                   unit<std::size_t>{"MiB", std::size_t{1} << 20},
                                   unit<std::size_t>{"GiB", std::size_t{1} << 30}};
constexpr std::array time_units_ns = {unit<double>{"ns", 1},
                                      unit<double>{"us", 1e3},
                                      unit<double>{"ms", 1e6},
                                      unit<double>{"s", 1e9},
                                      unit<double>{"min", 60e9},
                                      unit<double>{"h", 3600e9}};

/// A number and the unit after it, with or without one blank between.
template <class Number>
struct quantity {
  Number number{};
  std::string_view unit_name;
};

template <class Number>
std::optional<quantity<Number>> parse_quantity(std::string_view text) {
  quantity<Number> result;
  const char* const first = text.data();
  const auto [behind, status] = std::from_chars(first, first + text.size(), result.number);
  if (status != std::errc{}) {
    return std::nullopt;
  }
  result.unit_name = text.substr(static_cast<std::size_t>(behind - first));
  if (result.unit_name.size() > 1 && result.unit_name.front() == ' ') {
    result.unit_name.remove_prefix(1);
  }
  return result;
}

template <class Units>
auto find_factor(const Units& units, std::string_view name)
    -> std::optional<decltype(units[0].factor)> {
  for (const auto& each : units) {
    if (each.name == name) {
      return each.factor;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> parse_size(std::string_view text) {
  const auto found = parse_quantity<std::size_t>(text);
  const auto factor = found ? find_factor(byte_units, found->unit_name) : std::nullopt;
  if (!factor || found->number > std::numeric_limits<std::size_t>::max() / *factor) {
    return std::nullopt;
  }
  return found->number * *factor;
}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  constexpr double longest_ns = 9.2e18;  // just below what std::chrono::nanoseconds holds
  const auto found = parse_quantity<double>(text);
  const auto factor = found ? find_factor(time_units_ns, found->unit_name) : std::nullopt;
  if (!factor || !(found->number >= 0 && found->number * *factor <= longest_ns)) {
    return std::nullopt;
  }
  return std::chrono::nanoseconds(std::llround(found->number * *factor));
}

/// Returns the size in the largest unit that divides it: "64 KiB".
std::string size_text(std::size_t bytes) {
  unit<std::size_t> best = byte_units.front();
  for (const unit<std::size_t>& each : byte_units) {
    best = bytes >= each.factor && bytes % each.factor == 0 ? each : best;
  }
  const std::string number = std::to_string(bytes / best.factor);
  return number + (best.factor == 1 ? " bytes" : " " + std::string(best.name));
}

}  // namespace

option_parser<int> whole_number(int smallest, int largest) {
  auto parse = [=](std::string_view text) -> std::optional<int> {
    const auto found = parse_quantity<int>(text);
    const bool is_valid =
        found && found->unit_name.empty() && found->number >= smallest && found->number <= largest;
    return is_valid ? std::optional(found->number) : std::nullopt;
  };
  return {.accepts =
              "a whole number from " + std::to_string(smallest) + " to " + std::to_string(largest),
          .parse = parse};
}

option_parser<std::size_t> size_in_bytes(std::size_t smallest, std::size_t largest) {
  auto parse = [=](std::string_view text) -> std::optional<std::size_t> {
    const auto bytes = parse_size(text);
    return bytes && *bytes >= smallest && *bytes <= largest ? bytes : std::nullopt;
  };
  return {.accepts = "a size from " + size_text(smallest) + " to " + size_text(largest) +
                     ", in bytes or with KiB, MiB or GiB behind it",
          .parse = parse};
}

option_parser<std::chrono::nanoseconds> duration() {
  return {.accepts = "a duration with its unit (ns, us, ms, s, min, h), for example 250us",
          .parse = parse_duration};
}

option_parser<std::string> any_text(std::string accepts) {
  auto parse = [](std::string_view text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  return {.accepts = std::move(accepts), .parse = parse};
}

option_parser<bool> yes_or_no() {
  return one_of<bool>(
      {{"yes", true}, {"no", false}, {"on", true}, {"off", false}, {"1", true}, {"0", false}});
}

}  // namespace weft::base
