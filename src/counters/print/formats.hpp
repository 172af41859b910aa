// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats in which counters are printed: they convert readings to text, and do not know its
// destination.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/session.hpp"

namespace weft::counters::detail {

enum class print_format : std::uint8_t {
  normal,
  csv,
  csv_short,
  json,
  jsonl,
  openmetrics,
  summary  // for people: a table of where the time went
};

struct format_options {
  print_format format = print_format::normal;
  bool csv_header = true;
  bool with_types = false;               // normal format: print the counter's kind after the unit
  std::vector<std::string> columns;      // csv formats: the counters' names
  std::vector<std::string> short_names;  // csv-short: the names of the columns
};

/// Formats one evaluation after the other.
class formatter {
 public:
  formatter() = default;
  formatter(const formatter&) = delete;
  formatter& operator=(const formatter&) = delete;
  virtual ~formatter() = default;

  /// Returns the text before the first evaluation.
  [[nodiscard]] virtual std::string begin() { return {}; }
  [[nodiscard]] virtual std::string print(const session_readings& readings,
                                          std::string_view description) = 0;
  /// Returns the text after the last evaluation.
  [[nodiscard]] virtual std::string end() { return {}; }

  /// True: each text is complete, and replaces the previous one.
  [[nodiscard]] virtual bool replaces() const { return false; }
  /// True: the format does not print why a counter has no value.
  [[nodiscard]] virtual bool hides_reasons() const { return false; }
};

[[nodiscard]] std::unique_ptr<formatter> make_normal_formatter(bool with_types);
[[nodiscard]] std::unique_ptr<formatter> make_csv_formatter(const format_options& options);
[[nodiscard]] std::unique_ptr<formatter> make_json_formatter(bool is_lines);
[[nodiscard]] std::unique_ptr<formatter> make_summary_formatter();
[[nodiscard]] std::unique_ptr<formatter> make_formatter(const format_options& options);

/// Returns weft's name for a kind of counter, as in JSON: "total".
[[nodiscard]] constexpr const char* kind_name(counter_kind kind) noexcept {
  switch (kind) {
    case counter_kind::total:
      return "total";
    case counter_kind::quotient:
      return "quotient";
    case counter_kind::array:
      return "array";
    case counter_kind::histogram:
      return "histogram";
    case counter_kind::gauge:
      break;
  }
  return "gauge";
}

/// Returns HPX's name for a kind of counter: "counter_type::raw".
[[nodiscard]] std::string hpx_kind_name(counter_kind kind, std::string_view unit);

/// Returns "12", "0.1", or "1:2:3". A histogram is printed as its sum, count and three quantiles.
[[nodiscard]] std::string plain_text(const counter_value::number& value);

/// Returns, for example, "[sampled 1/64, +-0.8 %]". If the value is 0, the error is printed in the
/// unit.
[[nodiscard]] std::string sampling_text(const sampling& sampled,
                                        const counter_value::number& value,
                                        std::string_view unit);

/// Quotes text as CSV does: in double quotes if it contains a comma, a quote or a line break.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace weft::counters::detail
