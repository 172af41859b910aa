// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table with a row per evaluation and a column per counter.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/printable.hpp"
#include "weft/counters/session.hpp"

#include "counters/formats.hpp"
#include "counters/number_text.hpp"

namespace weft::counters::detail {

namespace {

class csv_formatter final : public formatter {
 public:
  csv_formatter(std::vector<std::string> columns, std::vector<std::string> titles, bool has_header)
      : columns_(std::move(columns)), titles_(std::move(titles)), has_header_(has_header) {}

  std::string begin() override {
    if (!has_header_) {
      return {};
    }
    std::string text = "number,time,since_start_s,description";
    for (const std::string& title : titles_) {
      text += ',' + csv_cell(title);
    }
    return printable(text) + '\n';
  }

  std::string print(const session_readings& readings, std::string_view description) override {
    std::string text = std::to_string(readings.number) + ',' + utc_text(readings.time) + ',' +
                       seconds_text(readings.since_start) + ',' + csv_cell(description);
    for (const std::string& column : columns_) {
      text += ',' + cell_of(readings, column);
    }
    return printable(text) + '\n';
  }

  bool hides_reasons() const override { return true; }

 private:
  static std::string cell_of(const session_readings& readings, const std::string& column) {
    for (const session_reading& each : readings.values) {
      if (each.name == column && each.value.value) {
        return csv_cell(plain_text(*each.value.value));
      }
    }
    return {};
  }

  std::vector<std::string> columns_;
  std::vector<std::string> titles_;
  bool has_header_;
};

}  // namespace

std::unique_ptr<formatter> make_csv_formatter(const format_options& options) {
  const bool is_short = options.format == print_format::csv_short;
  return std::make_unique<csv_formatter>(
      options.columns, is_short ? options.short_names : options.columns, options.csv_header);
}

}  // namespace weft::counters::detail
