// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats in which counters are printed: from readings to text, without knowing where it goes.
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
  bool with_types = false;               // normal: the kind of counter behind the unit
  std::vector<std::string> columns;      // of csv: the counters' names
  std::vector<std::string> short_names;  // of csv-short: what columns are called instead
};

/// Prints one evaluation after the other.
class formatter {
 public:
  formatter() = default;
  formatter(const formatter&) = delete;
  formatter& operator=(const formatter&) = delete;
  virtual ~formatter() = default;

  /// Comes before the first evaluation.
  [[nodiscard]] virtual std::string begin() { return {}; }
  [[nodiscard]] virtual std::string print(const session_readings& readings,
                                          std::string_view description) = 0;
  /// Comes after the last one.
  [[nodiscard]] virtual std::string end() { return {}; }

  /// True: a text is complete in itself and takes the place of the one before.
  [[nodiscard]] virtual bool replaces() const { return false; }
  /// True: says nothing of why a counter has no value.
  [[nodiscard]] virtual bool hides_reasons() const { return false; }
};

[[nodiscard]] std::unique_ptr<formatter> make_normal_formatter(bool with_types);
[[nodiscard]] std::unique_ptr<formatter> make_csv_formatter(const format_options& options);
[[nodiscard]] std::unique_ptr<formatter> make_json_formatter(bool is_lines);
[[nodiscard]] std::unique_ptr<formatter> make_summary_formatter();
[[nodiscard]] std::unique_ptr<formatter> make_formatter(const format_options& options);

/// What HPX calls a kind of counter: "counter_type::raw".
[[nodiscard]] std::string hpx_kind_name(counter_kind kind, std::string_view unit);

/// "12", "0.1", "1:2:3"; a histogram as its sum, count and three quantiles.
[[nodiscard]] std::string plain_text(const counter_value::number& value);

/// "[sampled 1/64, +-0.8 %]"; the unit stands behind what is no share of a value of 0.
[[nodiscard]] std::string sampling_text(const sampling& sampled,
                                        const counter_value::number& value,
                                        std::string_view unit);

/// As in CSV: in double quotes if it holds a comma, a quote or a new line.
[[nodiscard]] std::string csv_cell(std::string_view text);

}  // namespace weft::counters::detail
