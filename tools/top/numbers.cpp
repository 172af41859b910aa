// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints numbers with few digits and a unit, or with all their digits.
#include "top/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

namespace weft::top {

namespace {

/// Three significant digits of a number below 1000, or four before a unit grows.
std::string three_digits(double number) {
  const int decimals = number >= 99.95 ? 0 : (number >= 9.995 ? 1 : 2);
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

struct unit {
  double size;
  const char* name;
};

/// In the largest of `units`, which begin with the smallest, that leaves 1 before the point.
std::string in_units(double number, std::span<const unit> units) {
  std::size_t chosen = 0;
  while (chosen + 1 < units.size() && number >= units[chosen + 1].size * 0.9995) {
    ++chosen;
  }
  return three_digits(number / units[chosen].size) + units[chosen].name;
}

}  // namespace

std::string short_count(double number) {
  constexpr std::array units = {
      unit{1e3, " k"}, unit{1e6, " M"}, unit{1e9, " G"}, unit{1e12, " T"}};
  if (number < 999.5) {
    const bool is_whole = number == std::floor(number) && number > -1e9;  // less is damaged
    return is_whole ? std::to_string(static_cast<int>(number)) : three_digits(number);
  }
  return in_units(number, units);
}

std::string short_time(double seconds) {
  constexpr std::array units = {
      unit{1e-9, " ns"}, unit{1e-6, " us"}, unit{1e-3, " ms"}, unit{1, " s"}};
  constexpr double longest_in_seconds = 119.5;
  if (seconds < longest_in_seconds) {
    return seconds == 0 ? "0 s" : in_units(seconds, units);
  }
  constexpr double most_s = 1e15;  // more is damaged, and fits no integer
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, most_s)));
  if (whole < 3600) {
    return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  }
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string short_time(std::optional<double> seconds) {
  return seconds ? short_time(*seconds) : no_number;
}

std::string short_bytes(std::uint64_t bytes) {
  constexpr double k = 1024;
  constexpr std::array units = {unit{1, " B"},
                                unit{k, " KiB"},
                                unit{k * k, " MiB"},
                                unit{k * k * k, " GiB"},
                                unit{k * k * k * k, " TiB"}};
  return in_units(static_cast<double>(bytes), units);
}

std::string short_share(double share) {
  if (share == 0 || share == 1) {
    return share == 0 ? "0 %" : "100 %";
  }
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

std::string exact(double number) {
  std::array<char, 32> text{};
  const auto [end, code] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

}  // namespace weft::top
