// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of rings without the thousands of zeros in their header, in which a fuzzer would get lost.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counters/trace/trace_file.hpp"

namespace weft::fuzz {

/// A part of the file, and how many bytes of it an input has: they lie one behind the other.
struct file_part {
  std::size_t offset_bytes;
  std::size_t num_bytes;
};

inline constexpr std::size_t rings_offset_bytes =
    (sizeof(counters::detail::trace_file_header) + 4095) / 4096 * 4096;
inline constexpr std::array<file_part, 4> rings_parts{
    {{0, offsetof(counters::detail::trace_file_header, modules) + 128},
     {offsetof(counters::detail::trace_file_header, num_name_bytes), 8 + 64},
     {rings_offset_bytes, 1024},           // the first slot
     {rings_offset_bytes + 4096, 4096}}};  // the second one, and more

/// The input that becomes the beginning of `file`.
inline std::vector<std::uint8_t> gathered(std::span<const std::uint8_t> file) {
  std::vector<std::uint8_t> input;
  for (const auto& [offset_bytes, num_bytes] : rings_parts) {
    const auto rest = file.subspan(std::min(offset_bytes, file.size()));
    const auto part = rest.first(std::min(num_bytes, rest.size()));
    input.insert(input.end(), part.begin(), part.end());
  }
  return input;
}

/// The file that an input stands for; bytes behind the last part follow it.
inline std::vector<std::uint8_t> spread(std::span<const std::uint8_t> input) {
  std::vector<std::uint8_t> file;
  for (const auto& [offset_bytes, num_bytes] : rings_parts) {
    const bool is_last = offset_bytes == rings_parts.back().offset_bytes;
    const auto part = input.first(is_last ? input.size() : std::min(num_bytes, input.size()));
    if (!part.empty()) {
      file.resize(offset_bytes);
      file.insert(file.end(), part.begin(), part.end());
    }
    input = input.subspan(part.size());
  }
  return file;
}

}  // namespace weft::fuzz
