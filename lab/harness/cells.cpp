// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of fields: their names, and how text is converted to their values.
#include "lab/harness/cells.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"

namespace weft::lab {
namespace {

constexpr int max_threads = 4096;

/// Text that is to be converted to a field's value.
struct entry {
  std::string_view field;
  std::string_view text;

  [[noreturn]] void reject(const std::string& wanted) const {
    throw bad_cell(std::string(field),
                   std::string(field) + " \"" + std::string(text) + "\" is not " + wanted);
  }
};

template <class Number>
Number whole_number(const entry& from, Number least, const std::string& wanted) {
  Number value{};
  const auto [end, error] =
      std::from_chars(from.text.data(), from.text.data() + from.text.size(), value);
  if (error != std::errc{} || end != from.text.data() + from.text.size() || value < least) {
    from.reject(wanted);
  }
  return value;
}

double seconds_of(const entry& from) {
  // a day; well below the values at which counts of samples overflow
  constexpr double longest_s = 86400;
  double value = 0;
  const auto [end, error] =
      std::from_chars(from.text.data(), from.text.data() + from.text.size(), value);
  if (error != std::errc{} || end != from.text.data() + from.text.size() || !std::isfinite(value) ||
      value < 0 || value > longest_s) {
    from.reject("a time in seconds from 0 to 86400 such as 0.5");
  }
  return value;
}

std::size_t size_of(const entry& from) {
  const std::string wanted =
      "a number of elements such as 1048576 or 2^20, or what --help says of sizes";
  if (!from.text.starts_with("2^")) {
    return whole_number<std::size_t>(from, 1, wanted);
  }
  const entry exponent{from.field, from.text.substr(2)};
  const auto power = whole_number<unsigned>(exponent, 0, wanted);
  if (power >= std::numeric_limits<std::size_t>::digits) {
    from.reject(wanted);
  }
  return std::size_t{1} << power;
}

std::string choice(const entry& from, const std::vector<std::string>& valid) {
  if (std::find(valid.begin(), valid.end(), from.text) == valid.end()) {
    throw bad_cell(std::string(from.field), unknown_name(from.field, from.text, valid));
  }
  return std::string(from.text);
}

struct field_row {
  std::string name;
  void (*set)(cell& what, const entry& from);
};

const std::array<field_row, 15>& fields() {
  static const std::array<field_row, 15> rows{{
      {"id", [](cell& what, const entry& from) { what.id = from.text; }},
      {"problem", [](cell& what, const entry& from) { what.problem = from.text; }},
      {"type",
       [](cell& what, const entry& from) { what.type = choice(from, {"int", "float", "double"}); }},
      {"size", [](cell& what, const entry& from) { what.size = size_of(from); }},
      {"threads",
       [](cell& what, const entry& from) {
         const std::string wanted = "a number of threads from 1 to " + std::to_string(max_threads);
         what.threads = whole_number<int>(from, 1, wanted);
         if (what.threads > max_threads) {
           from.reject(wanted);
         }
       }},
      {"allocator",
       [](cell& what, const entry& from) {
         what.allocator = choice(from, {"default", "first_touch"});
       }},
      {"placement",
       [](cell& what, const entry& from) { what.placement = choice(from, {"none", "cores"}); }},
      {"smt", [](cell& what, const entry& from) { what.smt = choice(from, {"on", "off"}); }},
      {"seed",
       [](cell& what, const entry& from) {
         what.seed = whole_number<std::uint64_t>(from, 0, "a whole number >= 0");
       }},
      {"protocol",
       [](cell& what, const entry& from) { what.protocol = choice(from, {"robust", "paper"}); }},
      {"min_samples",
       [](cell& what, const entry& from) {
         what.min_samples = whole_number<std::size_t>(from, 1, "a number of samples >= 1");
       }},
      {"max_samples",
       [](cell& what, const entry& from) {
         what.max_samples = whole_number<std::size_t>(from, 1, "a number of samples >= 1");
       }},
      {"min_time_s", [](cell& what, const entry& from) { what.min_time_s = seconds_of(from); }},
      {"max_time_s", [](cell& what, const entry& from) { what.max_time_s = seconds_of(from); }},
      {"probe", [](cell& what, const entry& from) { what.probe = choice(from, {"yes", "no"}); }},
  }};
  return rows;
}

}  // namespace

std::span<const std::string> cell_field_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    std::transform(
        fields().begin(), fields().end(), std::back_inserter(all), [](const field_row& row) {
          return row.name;
        });
    return all;
  }();
  return names;
}

void set_field(cell& what, std::string_view field, std::string_view text) {
  for (const field_row& row : fields()) {
    if (row.name == field) {
      row.set(what, {.field = field, .text = text});
      return;
    }
  }
  throw bad_cell(std::string(field), unknown_name("field", field, cell_field_names()));
}

void set_param(cell& what, std::string_view name, std::string_view text) {
  const std::string field = "params." + std::string(name);
  try {
    what.params[std::string(name)] = whole_number<std::int64_t>(
        {.field = field, .text = text}, std::numeric_limits<std::int64_t>::min(), "a whole number");
  } catch (const bad_cell& problem) {
    throw bad_cell("params", problem.what());
  }
}

cell with_default_threads(cell asked, const suite& what, int cpus_usable) {
  if (asked.threads == 0) {
    asked.threads = what.is_serial() ? 1 : cpus_usable;
  }
  return asked;
}

void check_fields(const cell& what) {
  if (what.problem.empty()) {
    throw bad_cell("problem", "no problem named; --list names the problems of this program");
  }
  if (what.min_samples > what.max_samples) {
    throw bad_cell("min_samples",
                   "min_samples " + std::to_string(what.min_samples) +
                       " is more than max_samples " + std::to_string(what.max_samples) +
                       "; raise max_samples too");
  }
  if (what.min_time_s > what.max_time_s) {
    throw bad_cell("min_time_s",
                   "min_time_s " + std::to_string(what.min_time_s) + " is more than max_time_s " +
                       std::to_string(what.max_time_s) + "; raise max_time_s too");
  }
}

}  // namespace weft::lab
