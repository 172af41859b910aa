// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the one-value text files of /proc and /sys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::base {

/// Returns all that the file holds, or nothing if it cannot be read, or not to its end.
[[nodiscard]] std::optional<std::string> read_bytes(const std::filesystem::path& file);

/// Returns the file's text without trailing white space, or nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& file);

/// Returns the file's lines; none if it cannot be read.
[[nodiscard]] std::vector<std::string> read_lines(const std::filesystem::path& file);

/// Returns the integer the file starts with, or nothing if it holds none.
[[nodiscard]] std::optional<std::int64_t> read_integer(const std::filesystem::path& file);

/// Returns the integer `text` starts with, after blanks, or nothing if there is none.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text) noexcept;

/// Returns the ids of a kernel CPU list such as "0-3,8,10-11", ascending; none if it is malformed.
[[nodiscard]] std::vector<int> parse_cpu_list(std::string_view text);

/// Returns the value of the first line that reads "key: value" or "key<blanks>: value".
[[nodiscard]] std::optional<std::string> keyed_value(std::span<const std::string> lines,
                                                     std::string_view key);

}  // namespace weft::base
