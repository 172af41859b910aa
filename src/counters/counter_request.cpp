// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes apart what is asked for.
#include "counters/counter_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "weft/base/options.hpp"

namespace weft::counters::detail {

namespace {

/// Whole milliseconds as HPX has it, or with a unit.
std::optional<std::chrono::nanoseconds> parse_interval(std::string_view text) {
  int milliseconds = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [behind, status] = std::from_chars(first, last, milliseconds);
  if (status == std::errc{} && behind == last) {
    return milliseconds < 0 ? std::nullopt : std::optional(std::chrono::milliseconds(milliseconds));
  }
  return duration().parse(text);
}

/// Every name starts with a slash, so what is said about a counter comes before its first one.
std::optional<counter_request> parse_request(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) {
    return std::nullopt;
  }
  counter_request request{.name = std::string(text.substr(slash))};
  std::string_view before = text.substr(0, slash);
  if (const std::size_t colon = before.find(':'); colon != before.npos) {
    request.interval = parse_interval(before.substr(0, colon));
    if (!request.interval || request.interval->count() == 0) {
      return std::nullopt;
    }
    before.remove_prefix(colon + 1);
  }
  if (before.empty()) {
    return request;
  }
  if (!before.ends_with(',') || std::ranges::count(before, ',') != 1 || before.size() == 1) {
    return std::nullopt;
  }
  request.short_name = before.substr(0, before.size() - 1);
  return request;
}

std::optional<selection> parse_selection(std::string_view text) {
  constexpr std::array off = {"0", "no", "off"};
  constexpr std::array on = {"1", "yes", "on"};
  if (std::ranges::find(off, text) != off.end()) {
    return selection{};
  }
  if (std::ranges::find(on, text) != on.end()) {
    return selection{.is_summary = true};
  }
  selection result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    auto request = parse_request(text.substr(0, end));
    if (!request) {
      return std::nullopt;
    }
    result.counters.push_back(*std::move(request));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace

option_parser<std::chrono::nanoseconds> interval_text() {
  return {.accepts = "milliseconds, or a duration with its unit, for example 250us",
          .parse = parse_interval};
}

option_parser<counter_request> counter_request_text() {
  return {.accepts =
              "a counter such as /threads/count/cumulative, with an interval of its own as "
              "50ms:/threads/count/cumulative, with the title of its column in csv-short as "
              "tasks,/threads/count/cumulative",
          .parse = parse_request};
}

option_parser<selection> selection_text() {
  return {.accepts =
              "1 for a summary, or counters with ; between them, such as "
              "\"/threads*/time/*;100ms:/runtime/memory/resident\"",
          .parse = parse_selection};
}

}  // namespace weft::counters::detail
