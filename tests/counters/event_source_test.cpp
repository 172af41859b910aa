// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about event descriptions in planted sysfs trees.
#include "counters/families/perf/event_source.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/families/perf/perf_event.hpp"
#include "tests/support/fake_root.hpp"

namespace event_source_test {

using testing::IsEmpty;
using testing::SizeIs;
using weft::counters::detail::encode_event;
using weft::counters::detail::event_code;
using weft::counters::detail::event_place;
using weft::counters::detail::memory_direction;
using weft::counters::detail::memory_event_places;

std::optional<event_code> encode(std::string_view text) {
  const std::map<std::string_view, std::string> formats{{"event", "config:0-7,32-35"},
                                                        {"umask", "config:8-15"},
                                                        {"edge", "config:18"},
                                                        {"filter", "config1:4-7"},
                                                        {"broken", "config:9-2"},
                                                        {"elsewhere", "config7:0"}};
  return encode_event(text, 15, [&](std::string_view term) -> std::optional<std::string> {
    const auto found = formats.find(term);
    return found == formats.end() ? std::nullopt : std::optional(found->second);
  });
}

class EventSource : public testing::Test {
 protected:
  void plant(const std::filesystem::path& unit, const std::string& event) {
    const std::filesystem::path folder = "sys/bus/event_source/devices" / unit;
    root_.write(folder / "type", "20").write(folder / "format/event", "config:0-7");
    if (!event.empty()) {
      root_.write(folder / "events" / event, "event=0x04");
    }
  }
  [[nodiscard]] std::vector<event_place> read_places() const {
    return memory_event_places(root_.path(), memory_direction::read);
  }
  weft::test::fake_root root_;
};

TEST(EncodeEvent, puts_each_term_where_its_format_says) {
  const event_code code = encode("event=0x04,umask=0x03,filter=0x2,edge").value_or(event_code{});

  EXPECT_EQ(code.config, 0x0304u | (1u << 18));
  EXPECT_EQ(code.config1, 0x20u);
  EXPECT_EQ(code.type, 15u);
}

TEST(EncodeEvent, splits_a_value_over_several_bit_ranges) {
  EXPECT_EQ(encode("event=0x1c2").value_or(event_code{}).config, 0x1000000C2u);
}

TEST(EncodeEvent, refuses_what_it_does_not_understand) {
  for (const char* text :
       {"unknown=1", "event=x", "event=0x", "broken=1", "elsewhere=1", "event=1,,umask=2"}) {
    EXPECT_FALSE(encode(text).has_value()) << text;
  }
}

TEST_F(EventSource, a_machine_without_memory_controllers_has_no_places) {
  EXPECT_THAT(read_places(), IsEmpty());
}

TEST_F(EventSource, free_running_units_do_not_count_what_their_siblings_count_again) {
  plant("uncore_imc_0", "cas_count_read");
  plant("uncore_imc_free_running_0", "data_read");

  EXPECT_THAT(read_places(), SizeIs(1));
}

TEST_F(EventSource, without_scale_an_event_is_one_64_byte_transfer) {
  plant("uncore_imc_0", "cas_count_read");

  ASSERT_THAT(read_places(), SizeIs(1));
  EXPECT_DOUBLE_EQ(read_places()[0].unit_per_count, 64);
  EXPECT_FALSE(read_places()[0].code.is_user_only);
  EXPECT_EQ(read_places()[0].cpu, 0);
  EXPECT_EQ(read_places()[0].thread_id, -1);
}

TEST_F(EventSource, amd_controllers_need_no_named_event) {
  plant("amd_umc_0", "");
  root_.write("sys/bus/event_source/devices/amd_umc_0/format/rdwrmask", "config:8-9");

  ASSERT_THAT(read_places(), SizeIs(1));
  EXPECT_EQ(read_places()[0].code.config, 0x10Au);
}

TEST_F(EventSource, a_unit_that_cannot_be_encoded_is_left_out) {
  plant("amd_umc_0", "");  // no rdwrmask

  EXPECT_THAT(read_places(), IsEmpty());
}

}  // namespace event_source_test
