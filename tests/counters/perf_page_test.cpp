// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about events read by register, on planted pages and processors.
#include "counters/families/perf/perf_page.hpp"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "counters/families/perf/perf_kernel.hpp"

namespace perf_page_test {

using weft::counters::detail::processor_registers;
using weft::counters::detail::raw_count;
using weft::counters::detail::read_page;

// 48 bits wide, it counts up from below zero: this is -100
constexpr processor_registers planted{.counter =
                                          [](std::uint32_t index) {
                                            return index == 2 ? (std::uint64_t{1} << 48) - 100
                                                              : std::uint64_t{0};
                                          },
                                      .clock = [] { return std::uint64_t{3000}; }};

perf_event_mmap_page planted_page() {
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.cap_user_time = 1;
  page.index = 3;  // of the counter, plus one
  page.pmc_width = 48;
  page.offset = 1100;
  page.time_enabled = 50;
  page.time_running = 30;
  page.time_shift = 4;
  page.time_mult = 8;  // half a nanosecond per tick
  page.time_offset = 7;
  return page;
}

TEST(PerfPage, adds_the_register_to_what_the_kernel_has_summed) {
  const raw_count read = read_page(planted_page(), planted).value_or(raw_count{});

  EXPECT_EQ(read.count, 1000u);
  EXPECT_EQ(read.enabled_ns, 50u + 7 + 1500);
  EXPECT_EQ(read.running_ns, 30u + 7 + 1500);
}

TEST(PerfPage, takes_a_system_call_where_the_kernel_forbids_registers) {
  perf_event_mmap_page page = planted_page();
  page.cap_user_rdpmc = 0;

  EXPECT_EQ(read_page(page, planted), std::nullopt);
}

TEST(PerfPage, takes_a_system_call_while_the_event_has_no_counter) {
  perf_event_mmap_page page = planted_page();
  page.index = 0;

  EXPECT_EQ(read_page(page, planted), std::nullopt);
}

TEST(PerfPage, takes_a_system_call_where_the_clock_is_unknown) {
  perf_event_mmap_page page = planted_page();
  page.cap_user_time = 0;

  EXPECT_EQ(read_page(page, planted), std::nullopt);
}

TEST(PerfPage, takes_a_system_call_on_processors_without_such_registers) {
  EXPECT_EQ(read_page(planted_page(), {.counter = nullptr, .clock = planted.clock}), std::nullopt);
}

}  // namespace perf_page_test
