// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about lists of counters.
#include "counters/print/list_text.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/planted_registry.hpp"
#include "counters/print/counter_options.hpp"

namespace list_text_test {

using testing::HasSubstr;
using weft::counters::detail::list_extent;
using weft::counters::detail::list_infos_text;
using weft::counters::detail::list_text;

TEST(ListText, a_short_list_has_stars_for_numbers) {
  weft::test::planted_registry planted(2);

  EXPECT_EQ(list_text(planted.all(), list_extent::minimal),
            "/planted{locality#*/worker-thread#*}/missing\n"
            "/planted{locality#*/worker-thread#*}/total\n");
}

TEST(ListText, a_full_list_has_every_counter) {
  weft::test::planted_registry planted(2);

  EXPECT_THAT(list_text(planted.all(), list_extent::full),
              HasSubstr("/planted{locality#0/worker-thread#0}/total\n"
                        "/planted{locality#0/worker-thread#1}/total\n"));
}

TEST(ListText, a_type_without_counters_is_listed_itself) {
  weft::counters::registry empty;
  const auto kept =
      empty.add({.type = {.name = "/refined/max", .unit = "", .help = "The most."},
                 .instances = [] { return std::vector<weft::counters::counter_name>(); },
                 .make = {}});

  EXPECT_EQ(list_text(empty, list_extent::full), "/refined/max\n");
}

TEST(ListText, no_help_text_commands_the_terminal) {
  const auto kept = weft::counters::register_counter(
      {.name = "/test/number", .unit = "", .help = "A \x1b[2Jnumber."}, [] { return 1; });

  EXPECT_THAT(weft::counters::detail::lists_text({.list_infos = list_extent::full}),
              HasSubstr("helptext: A ?[2Jnumber.\n"));
}

TEST(ListText, infos_have_kind_and_unit_and_why_there_is_no_value) {
  weft::test::planted_registry planted;

  EXPECT_EQ(list_infos_text(planted.all(), list_extent::full),
            "fullname: /planted{locality#0/worker-thread#0}/missing\n"
            "helptext: What a test counts.\n"
            "type:     counter_type::elapsed_time\n"
            "unit:     ns\n"
            "now:      unavailable, nothing to count\n\n"
            "fullname: /planted{locality#0/worker-thread#0}/total\n"
            "helptext: What a test counts.\n"
            "type:     counter_type::monotonically_increasing\n"
            "unit:     a number\n\n");
}

}  // namespace list_text_test
