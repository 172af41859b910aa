// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints numbers without loss, times in UTC, and texts for JSON.
#include "counters/print/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

#include "weft/base/printable.hpp"

namespace weft::counters::detail {

namespace {

template <class... Format>
std::string to_text(double value, Format... format) {
  std::array<char, 400> buffer{};  // the longest double in fixed notation has 309 digits
  char* const first = buffer.data();
  return {first, std::to_chars(first, first + buffer.size(), value, format...).ptr};
}

/// Prints three significant digits: 1.23, 12.3, 123.
std::string three_digits(double value) {
  return fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

std::string padded(std::int64_t value, std::size_t num_digits) {
  const std::string digits = std::to_string(value);
  return std::string(num_digits - std::min(num_digits, digits.size()), '0') + digits;
}

}  // namespace

std::string shortest(double value) { return to_text(value); }

std::string canonical(double value) {
  if (std::isnan(value)) {
    return "NaN";
  }
  if (std::isinf(value)) {
    return value > 0 ? "+Inf" : "-Inf";
  }
  const double size = std::fabs(value);
  if (size >= 1e6 || (size < 1e-4 && size > 0)) {
    return to_text(value, std::chars_format::scientific);
  }
  std::string text = to_text(value, std::chars_format::fixed);
  return text.find('.') == text.npos ? text + ".0" : text;
}

std::string fixed(double value, int num_digits) {
  return to_text(value, std::chars_format::fixed, num_digits);
}

std::string grouped(std::int64_t value) {
  std::string text = std::to_string(value);
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string human_time_ns(double duration_ns) {
  constexpr std::array units = {"us", "ms", "s"};
  if (duration_ns < 1000) {
    return fixed(duration_ns, 0) + " ns";
  }
  double value = duration_ns / 1000;
  std::size_t i = 0;
  for (; value >= 999.5 && i + 1 < units.size(); ++i) {
    value /= 1000;
  }
  return three_digits(value) + ' ' + units[i];
}

std::string human_bytes(double bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) {
    return fixed(bytes, 0) + " B";
  }
  double value = bytes / 1024;
  std::size_t i = 0;
  for (; value >= 1024 && i + 1 < units.size(); ++i) {
    value /= 1024;
  }
  return three_digits(value) + ' ' + units[i];
}

std::string seconds_text(std::chrono::nanoseconds duration) {
  constexpr std::int64_t per_second = 1'000'000'000;
  const std::int64_t ns = duration.count();
  return std::to_string(ns / per_second) + '.' + padded(ns % per_second, 9);
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch());
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::time_t seconds = whole.count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  const std::size_t size = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return std::string(date.data(), size) + '.' + padded((since_epoch - whole).count(), 9) + 'Z';
}

std::string json_string(std::string_view text) {
  // replaces invalid bytes, because JSON must be UTF-8
  const std::string shown = base::printable(text);
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\\') {
      quoted += '\\';
      quoted += text[i];
    } else if (static_cast<unsigned char>(text[i]) < 0x20) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto code = static_cast<unsigned char>(text[i]);
      quoted += "\\u00";
      quoted += digits[code >> 4U];
      quoted += digits[code & 15U];
    } else {
      quoted += shown[i];
    }
  }
  return quoted + '"';
}

}  // namespace weft::counters::detail
