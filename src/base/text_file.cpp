// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the one-value text files of /proc and /sys.
#include "weft/base/text_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace weft::base {
namespace {

constexpr std::string_view blanks = " \t\n";
constexpr std::int64_t max_cpu_id = 1 << 20;  // a longer list is not a list of CPUs

}  // namespace

std::optional<std::string> read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    return std::nullopt;
  }
  std::string bytes;
  std::array<char, 4096> piece{};
  // Not by an iterator over the buffer: that throws if the object described by a file of /proc is
  // gone.
  do {
    stream.read(piece.data(), piece.size());
    bytes.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  } while (stream);
  return stream.bad() ? std::nullopt : std::optional(std::move(bytes));
}

std::optional<std::string> read_text(const std::filesystem::path& file) {
  std::optional<std::string> text = read_bytes(file);
  if (text) {
    text->erase(text->find_last_not_of(blanks) + 1);
  }
  return text;
}

std::vector<std::string> read_lines(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::optional<std::int64_t> read_integer(const std::filesystem::path& file) {
  const auto text = read_text(file);
  return text ? parse_integer(*text) : std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view text) noexcept {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::string> keyed_value(std::span<const std::string> lines, std::string_view key) {
  for (const std::string& line : lines) {
    const std::size_t colon = line.find_first_not_of(blanks, key.size());
    if (line.starts_with(key) && colon != line.npos && line[colon] == ':') {
      const std::size_t value = line.find_first_not_of(blanks, colon + 1);
      return value == line.npos ? "" : line.substr(value);
    }
  }
  return std::nullopt;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  std::vector<int> ids;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const auto first = parse_integer(range);
    const std::size_t dash = range.find('-', 1);
    const auto last = dash == range.npos ? first : parse_integer(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > max_cpu_id) {
      return {};
    }
    for (auto id = static_cast<int>(*first); id <= *last; ++id) {
      ids.push_back(id);
    }
  }
  std::ranges::sort(ids);
  return ids;
}

}  // namespace weft::base
