// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes protocol buffers without a schema: fields of a message, one after the other.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::counters::detail {

/// A message under construction.
///
/// Source:  protobuf.dev/programming-guides/encoding
/// Example: tests/counters/trace_proto_test.cpp: a_nested_message_is_preceded_by_its_size.
class proto_message {
 public:
  void varint(std::uint32_t field, std::uint64_t value) {
    tag(field, wire_type::varint);
    raw_varint(value);
  }
  void signed_varint(std::uint32_t field, std::int64_t value) {
    varint(field, std::bit_cast<std::uint64_t>(value));
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    tag(field, wire_type::fixed64);
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<char>(value >> shift));
    }
  }
  void text(std::uint32_t field, std::string_view value) {
    tag(field, wire_type::size_then_bytes);
    raw_varint(value.size());
    bytes_.append(value);
  }
  void nested(std::uint32_t field, const proto_message& value) { text(field, value.bytes()); }

  [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
  void clear() noexcept { bytes_.clear(); }

 private:
  enum class wire_type : std::uint8_t { varint = 0, fixed64 = 1, size_then_bytes = 2 };

  void tag(std::uint32_t field, wire_type type) {
    raw_varint(std::uint64_t{field} << 3 | static_cast<std::uint32_t>(type));
  }
  void raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_.push_back(static_cast<char>(value | 0x80));
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace weft::counters::detail
