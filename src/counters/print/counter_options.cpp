// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of all options about counters, and the conversion of their values to a plan.
#include "counters/print/counter_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/base/printable.hpp"

#include "counters/print/formats.hpp"

namespace weft::counters::detail {

namespace {

/// Parses whole milliseconds, as HPX does, or a duration with a unit.
std::optional<std::chrono::nanoseconds> parse_interval(std::string_view text) {
  int milliseconds = 0;
  const char* const first = text.data();
  const char* const last = first + text.size();
  const auto [behind, status] = std::from_chars(first, last, milliseconds);
  if (status == std::errc{} && behind == last) {
    return milliseconds < 0 ? std::nullopt : std::optional(std::chrono::milliseconds(milliseconds));
  }
  return base::duration().parse(text);
}

/// Every counter name starts with a slash, so options of a request precede its first slash.
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

base::option_parser<std::chrono::nanoseconds> interval_text() {
  return {.accepts = "milliseconds, or a duration with its unit, for example 250us",
          .parse = parse_interval};
}

base::option_parser<counter_request> counter_request_text() {
  return {.accepts =
              "a counter such as /threads/count/cumulative, with an interval of its own as "
              "50ms:/threads/count/cumulative, with the title of its column in csv-short as "
              "tasks,/threads/count/cumulative",
          .parse = parse_request};
}

base::option_parser<selection> selection_text() {
  return {.accepts =
              "1 for a summary, or counters with ; between them, such as "
              "\"/threads*/time/*;100ms:/runtime/memory/resident\"",
          .parse = parse_selection};
}

namespace {

enum class print_moment : std::uint8_t { startup, shutdown, no_shutdown };

base::option_parser<list_extent> list_extents() {
  return base::one_of<list_extent>(
      {{"minimal", list_extent::minimal}, {"full", list_extent::full}});
}

// clang-format off
void register_all(base::option_registry& to) {
  to.add({.name = "counters", .environment = "WEFT_COUNTERS",
    .help = "Prints at the end where the time went, or the counters named.",
    .default_text = "nothing is printed", .bare_value = "1"}, selection_text());
  to.add({.name = "print-counter", .environment = "",
    .help = "Prints a counter, or all that a pattern means, at the end.",
    .default_text = "none"}, base::list_of(counter_request_text()));
  to.add({.name = "print-counter-reset", .environment = "",
    .help = "The same, counting anew after each time it is printed.",
    .default_text = "none"}, base::list_of(counter_request_text()));
  to.add({.name = "reset-counters", .environment = "",
    .help = "Lets every counter count anew after each time it is printed.",
    .default_text = "no", .bare_value = "yes"}, base::yes_or_no());
  to.add({.name = "print-counter-interval", .environment = "WEFT_COUNTERS_INTERVAL",
    .help = "Prints counters also this often, from the start on.",
    .default_text = "only at the end"}, interval_text());
  to.add({.name = "print-counter-at", .environment = "",
    .help = "Prints counters also at the start, or not at the end.",
    .default_text = "shutdown"}, base::list_of(base::one_of<print_moment>({{"startup", print_moment::startup}, {"shutdown", print_moment::shutdown}, {"noshutdown", print_moment::no_shutdown}})));
  to.add({.name = "print-counter-destination", .environment = "WEFT_COUNTERS_DESTINATION",
    .help = "Where counters are printed; a file is written anew. In a job, the file's name ends in the rank if each process prints.",
    .default_text = "stderr"}, base::any_text("stdout (or cout), stderr, none, or the name of a file"));
  to.add({.name = "print-counters-locally", .environment = "",
    .help = "Each process of a job prints its own counters, also where names have a locality#.",
    .default_text = "no", .bare_value = "yes"}, base::yes_or_no());
  to.add({.name = "print-counter-format", .environment = "WEFT_COUNTERS_FORMAT",
    .help = "How counters are printed.",
    .default_text = "normal"}, base::one_of<print_format>({{"normal", print_format::normal}, {"csv", print_format::csv}, {"csv-short", print_format::csv_short}, {"json", print_format::json}, {"jsonl", print_format::jsonl}, {"openmetrics", print_format::openmetrics}}));
  to.add({.name = "csv-header", .environment = "",
    .help = "Begins csv with the titles of the columns.",
    .default_text = "yes", .bare_value = "yes"}, base::yes_or_no());
  to.add({.name = "no-csv-header", .environment = "",
    .help = "Leaves the titles out.",
    .default_text = "no", .bare_value = "yes"}, base::yes_or_no());
  to.add({.name = "print-counter-types", .environment = "",
    .help = "Adds the kind of counter to each line of the format normal.",
    .default_text = "no", .bare_value = "yes"}, base::yes_or_no());
  to.add({.name = "list-counters", .environment = "",
    .help = "Lists the names of counters: with * for numbers, or each one.",
    .default_text = "no list", .bare_value = "minimal"}, list_extents());
  to.add({.name = "list-counter-infos", .environment = "",
    .help = "The same with what each counter means, its kind and its unit.",
    .default_text = "no list", .bare_value = "minimal"}, list_extents());
  to.add({.name = "exit", .environment = "",
    .help = "Asks the program to stop after what it was asked to list.",
    .default_text = "no", .bare_value = "yes"}, base::yes_or_no());
}
// clang-format on

std::vector<counter_request> all_requests(const base::option_registry& registry,
                                          const selection& selected) {
  using list = std::vector<counter_request>;
  list all = selected.counters;
  const list printed = registry.value<list>("print-counter").value_or(list{});
  all.insert(all.end(), printed.begin(), printed.end());
  for (counter_request each : registry.value<list>("print-counter-reset").value_or(list{})) {
    each.is_reset = true;
    all.push_back(std::move(each));
  }
  if (registry.value<bool>("reset-counters").value_or(false)) {
    std::ranges::for_each(all, [](counter_request& each) { each.is_reset = true; });
  }
  return all;
}

constexpr std::array what_options = {"counters", "print-counter", "print-counter-reset"};
constexpr std::array how_options = {"reset-counters",
                                    "print-counter-interval",
                                    "print-counter-at",
                                    "print-counter-destination",
                                    "print-counter-format",
                                    "csv-header",
                                    "no-csv-header",
                                    "print-counter-types",
                                    "print-counters-locally"};

bool is_an_argument(const base::option_registry& registry, const char* name) {
  return registry.source(name) > base::option_source::environment;
}

/// Options about the way of printing are a mistake if nothing is printed. Environment variables are
/// not, because they may be set in a profile.
void check_something_is_printed(const base::option_registry& registry) {
  for (const char* name : how_options) {
    if (is_an_argument(registry, name)) {
      throw error(std::string("option --weft:") + name +
                  " says how to print counters, but none is to be printed: add "
                  "--weft:print-counter=..., for example "
                  "--weft:print-counter=/threads/count/cumulative; --weft:list-counters lists all");
    }
  }
}

void check_short_names(const counter_plan& plan) {
  const bool is_short = plan.format == print_format::csv_short;
  for (const counter_request& each : plan.counters) {
    if (is_short && each.short_name.empty()) {
      throw error("counter " + each.name +
                  " has no title for its column, as csv-short needs: write "
                  "--weft:print-counter=title," +
                  each.name);
    }
    if (!is_short && !each.short_name.empty()) {
      throw error("counter " + each.short_name + ',' + each.name +
                  " has a title that only csv-short prints: add "
                  "--weft:print-counter-format=csv-short, or write --weft:print-counter=" +
                  each.name);
    }
  }
}

void read_moments(const base::option_registry& registry, counter_plan& plan) {
  using list = std::vector<print_moment>;
  const auto moments = registry.value<list>("print-counter-at");
  if (!moments) {
    return;
  }
  const auto has = [&](print_moment moment) {
    return std::ranges::find(*moments, moment) != moments->end();
  };
  plan.at_startup = has(print_moment::startup);
  plan.at_shutdown = !has(print_moment::no_shutdown);
}

void read_lists(const base::option_registry& registry, counter_plan& plan) {
  plan.list = registry.value<list_extent>("list-counters");
  plan.list_infos = registry.value<list_extent>("list-counter-infos");
  plan.should_exit = registry.value<bool>("exit").value_or(false);
}

}  // namespace

void register_counter_options(base::option_registry& registry) {
  register_all(registry);
  registry.accept({.prefix = "--hpx:", .names = {{"threads", "workers"}, {"cores", "workers"}}});
}

counter_plan read_counter_options(const base::option_registry& registry) {
  counter_plan plan;
  read_lists(registry, plan);
  const selection selected = registry.value<selection>("counters").value_or(selection{});
  plan.counters = all_requests(registry, selected);
  plan.with_summary = selected.is_summary;
  if (plan.counters.empty() && !selected.is_summary) {
    check_something_is_printed(registry);
    return plan;
  }
  const auto format = registry.value<print_format>("print-counter-format");
  plan.format = format.value_or(plan.counters.empty() ? print_format::summary : plan.format);
  plan.interval =
      registry.value<std::chrono::nanoseconds>("print-counter-interval").value_or(plan.interval);
  plan.destination =
      registry.value<std::string>("print-counter-destination").value_or(plan.destination);
  plan.csv_header = registry.value<bool>("csv-header").value_or(true) &&
                    !registry.value<bool>("no-csv-header").value_or(false);
  plan.with_types = registry.value<bool>("print-counter-types").value_or(false);
  plan.is_local = registry.value<bool>("print-counters-locally").value_or(false);
  read_moments(registry, plan);
  const auto is_given = [&](const char* name) { return is_an_argument(registry, name); };
  plan.is_of_environment =
      std::ranges::none_of(what_options, is_given) && std::ranges::none_of(how_options, is_given);
  try {
    check_short_names(plan);
  } catch (const error& mistake) {
    if (!plan.is_of_environment) {
      throw;
    }
    report_not_counted(mistake);
    return {.list = plan.list, .list_infos = plan.list_infos, .should_exit = plan.should_exit};
  }
  return plan;
}

counter_plan counter_plan_from_environment() {
  base::option_registry registry;
  register_counter_options(registry);
  registry.read_environment(base::process_environment, base::bad_variable::is_ignored);
  return read_counter_options(registry);
}

void report_not_counted(const std::exception& mistake) {
  const std::string line =
      "weft: the program runs, but prints no counters: " + std::string(mistake.what());
  send_message(base::printable(line, base::line_ends::masked) + '\n');
}

}  // namespace weft::counters::detail
