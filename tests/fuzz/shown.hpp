// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Everything that weft-top prints of what it has read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "tests/fuzz/input_file.hpp"
#include "tools/top/report.hpp"
#include "tools/top/screen_text.hpp"
#include "tools/top/view.hpp"
#include "tools/top/watched.hpp"

namespace weft::fuzz {

/// Nothing that a terminal takes for a command.
inline bool is_plain(const std::string& line) {
  return std::ranges::none_of(line, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

/// Prints a view in every format: JSON is valid, and lines for a terminal hold text only.
inline void show(const top::view& of, bool has_metrics) {
  (void)top::csv_text(of);
  if (has_metrics) {
    (void)top::metrics_text(of);
  }
  require(nlohmann::json::accept(top::json_text(of)));
  require(std::ranges::all_of(top::screen_lines(of, {.height = 40}), is_plain));
  require(std::ranges::all_of(top::overview_lines({of}, {.has_unicode = true}), is_plain));
}

/// Looks at most `most_looks` times, and prints metrics, which take longest, of some inputs only.
inline void show(std::unique_ptr<top::snapshot_source> source,
                 int most_looks,
                 std::size_t num_bytes) {
  top::watched watched(std::move(source));
  for (int i = 0; i < most_looks; ++i) {
    const std::optional<top::view> seen = watched.look();
    if (!seen) {
      return;
    }
    show(*seen, i == 0 && num_bytes % 8 == 1);
  }
}

}  // namespace weft::fuzz
