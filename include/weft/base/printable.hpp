// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes text from outside safe to show: a terminal obeys none of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::base {

/// Whether text may have several lines: a message may, a name may not.
enum class line_ends : std::uint8_t { kept, masked };

/// Returns `text` with '?' for every byte that a terminal could obey.
///
/// Masked are control characters, characters that reverse the direction of text, and bytes that are
/// not UTF-8. Newlines and tabs are masked only if `ends` asks for that.
/// Shape:   the result has as many bytes as `text`; a result that is masked again stays the same.
/// Example: tests/base/printable_test.cpp: escape_sequences_lose_their_escape.
[[nodiscard]] std::string printable(std::string_view text, line_ends ends = line_ends::kept);

/// Tells whether `printable` would return `text` unchanged; allocates nothing.
[[nodiscard]] bool is_printable(std::string_view text, line_ends ends = line_ends::kept) noexcept;

}  // namespace weft::base
