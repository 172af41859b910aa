// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the encoding, with the examples of Protocol Buffers' own documentation.
#include "counters/trace/trace_proto.hpp"

#include <string_view>

#include <gtest/gtest.h>

namespace trace_proto_test {

using namespace std::string_view_literals;
using weft::counters::detail::proto_message;

TEST(ProtoMessage, a_varint_takes_seven_bits_per_byte) {
  proto_message message;

  message.varint(1, 150);

  EXPECT_EQ(message.bytes(), "\x08\x96\x01"sv);
}

TEST(ProtoMessage, a_negative_number_takes_ten_bytes) {
  proto_message message;

  message.signed_varint(1, -2);

  EXPECT_EQ(message.bytes(), "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv);
}

TEST(ProtoMessage, text_is_preceded_by_its_size) {
  proto_message message;

  message.text(2, "testing");

  EXPECT_EQ(message.bytes(), "\x12\x07testing"sv);
}

TEST(ProtoMessage, a_nested_message_is_preceded_by_its_size) {
  proto_message inner;
  inner.varint(1, 150);
  proto_message outer;

  outer.nested(3, inner);

  EXPECT_EQ(outer.bytes(), "\x1a\x03\x08\x96\x01"sv);
}

TEST(ProtoMessage, a_fixed_number_begins_with_its_lowest_byte) {
  proto_message message;

  message.fixed64(47, 0x0102030405060708);

  EXPECT_EQ(message.bytes(), "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01"sv);
}

}  // namespace trace_proto_test
