// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which formatter prints which format.
#include "counters/formats.hpp"

#include <memory>
#include <string>
#include <string_view>

#include "weft/counters/openmetrics.hpp"
#include "weft/counters/session.hpp"

namespace weft::counters::detail {

namespace {

class openmetrics_formatter final : public formatter {
 public:
  std::string print(const session_readings& readings, std::string_view /*description*/) override {
    return openmetrics_text(readings);
  }
  bool replaces() const override { return true; }
};

}  // namespace

std::unique_ptr<formatter> make_formatter(const format_options& options) {
  switch (options.format) {
    case print_format::csv:
    case print_format::csv_short:
      return make_csv_formatter(options);
    case print_format::json:
    case print_format::jsonl:
      return make_json_formatter(options.format == print_format::jsonl);
    case print_format::openmetrics:
      return std::make_unique<openmetrics_formatter>();
    case print_format::summary:
      return make_summary_formatter();
    case print_format::normal:
      break;
  }
  return make_normal_formatter(options.with_types);
}

}  // namespace weft::counters::detail
