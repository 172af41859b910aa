// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-64/XZ: detects every error burst of up to 64 bits, and all other damage except one case in
// 2^64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::distributed::detail {

/// Continues a checksum: `before` is the checksum of the bytes before these.
///
/// Source:  ECMA-182's polynomial in the form of the xz file format, computed eight bytes at a time.
/// Example: tests/distributed/checkpoint_test.cpp: the_checksum_is_the_published_one.
[[nodiscard]] std::uint64_t crc64(std::span<const std::byte> bytes,
                                  std::uint64_t before = 0) noexcept;

}  // namespace weft::distributed::detail
