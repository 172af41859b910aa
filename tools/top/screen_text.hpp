// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A view as lines of text: what people look at.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "top/view.hpp"

namespace weft::top {

struct screen_options {
  std::size_t width = 100;  // columns
  std::size_t height = 0;   // lines; 0: as many as it takes
  bool has_colour = false;
  bool has_unicode = false;  // otherwise ASCII only
};

/// Lines of at most `width` columns, without ends of lines.
[[nodiscard]] std::vector<std::string> screen_lines(const view& of, const screen_options& options);

/// One line per process: for --all.
[[nodiscard]] std::vector<std::string> overview_lines(const std::vector<view>& all,
                                                      const screen_options& options);

/// What it is doing, as one word: "running", "STALLED", "killed".
[[nodiscard]] std::string status_word(const view& of);
[[nodiscard]] const char* name_of(counters::worker_state state) noexcept;

}  // namespace weft::top
