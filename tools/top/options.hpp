// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What weft-top is asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::top {

enum class output_format : std::uint8_t { text, json, csv };

struct top_options {
  bool wants_help = false;
  bool wants_reap = false;
  std::optional<std::uint64_t> pid = std::nullopt;
  bool is_all = false;
  bool is_once = false;
  output_format format = output_format::text;
  std::optional<std::filesystem::path> record = std::nullopt;
  std::optional<std::filesystem::path> replay = std::nullopt;
  std::optional<double> interval_s = std::nullopt;
  std::optional<std::filesystem::path> openmetrics = std::nullopt;
  std::optional<std::uint16_t> serve_port = std::nullopt;
  std::vector<std::string> program = {};  // with its arguments
};

/// Errors: `weft::error` that says what was given and what is accepted.
[[nodiscard]] top_options parse_options(std::span<const char* const> arguments);

[[nodiscard]] std::string help_text();

}  // namespace weft::top
