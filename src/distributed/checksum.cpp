// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-64/XZ by eight tables.
#include "distributed/checksum.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace weft::distributed::detail {

namespace {

constexpr std::size_t num_tables = 8;
constexpr std::size_t num_bytes = 256;
using tables = std::array<std::array<std::uint64_t, num_bytes>, num_tables>;

/// Table 0 has the remainder of each byte; table i has the remainder of that byte followed by i
/// zero bytes.
consteval tables make_tables() {
  constexpr std::uint64_t reversed_polynomial = 0xc96c5795d7870f42;
  tables made{};
  for (std::uint64_t value = 0; value < num_bytes; ++value) {
    std::uint64_t remainder = value;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? reversed_polynomial : 0);
    }
    made[0][value] = remainder;
  }
  for (std::size_t i = 1; i < num_tables; ++i) {
    for (std::size_t value = 0; value < num_bytes; ++value) {
      const std::uint64_t before = made[i - 1][value];
      made[i][value] = before >> 8 ^ made[0][before & 0xff];
    }
  }
  return made;
}

constexpr tables remainders = make_tables();

}  // namespace

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before) noexcept {
  std::uint64_t sum = ~before;
  while (std::endian::native == std::endian::little && bytes.size() >= num_tables) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), sizeof eight);
    eight ^= sum;
    sum = 0;
    for (std::size_t i = 0; i < num_tables; ++i) {
      sum ^= remainders[num_tables - 1 - i][eight >> (8 * i) & 0xff];
    }
    bytes = bytes.subspan(num_tables);
  }
  for (const std::byte each : bytes) {
    sum = sum >> 8 ^ remainders[0][(sum ^ static_cast<std::uint64_t>(each)) & 0xff];
  }
  return ~sum;
}

}  // namespace weft::distributed::detail
