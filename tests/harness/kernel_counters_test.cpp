// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about kernel counters on planted kernels and machines: no hardware is needed.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "counters/families/perf/perf_event.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "lab/harness/process_readings.hpp"
#include "tests/counters/fake_kernel.hpp"
#include "tests/harness/find_reading.hpp"
#include "tests/support/fake_root.hpp"

namespace kernel_counters_test {

using testing::HasSubstr;
using weft::counters::detail::raw_count;
using weft::counters::test::fake_event;
using weft::counters::test::fake_kernel;
using weft::lab::process_reading;
using weft::lab::process_readings;
using weft::lab::test::find;
using weft::lab::test::planted_counters;

bool is_event(const fake_event& event, std::uint32_t type, std::uint64_t config) {
  return event.attr.type == type && event.attr.config == config;
}

bool is_instructions(const fake_event& event) {
  return is_event(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

class KernelCounters : public testing::Test {
 protected:
  KernelCounters() {
    root_.write("sys/bus/event_source/devices/cpu/type", "4").write("proc/self/task/41/comm", "a");
    identify("GenuineIntel", 6, 85);
  }
  void identify(const std::string& vendor, int family, int model) {
    root_.write("proc/cpuinfo",
                "processor\t: 0\nvendor_id\t: " + vendor +
                    "\ncpu family\t: " + std::to_string(family) +
                    "\nmodel\t\t: " + std::to_string(model) + "\nmodel name\t: planted\n");
  }
  process_readings make_session() { return planted_.emplace_back(root_.path(), kernel_).session(); }
  process_reading measure(const std::string& name, std::uint64_t config, const raw_count& counted) {
    process_readings session = make_session();
    session.start();
    kernel_.count(PERF_TYPE_HARDWARE, config, counted);
    session.stop();
    return find(session.readings(), name);
  }
  process_reading measure_idle(const std::string& name) {
    process_readings session = make_session();
    session.start();
    kernel_.pass_time(100);
    session.stop();
    return find(session.readings(), name);
  }

  weft::test::fake_root root_;
  fake_kernel kernel_;
  std::deque<planted_counters> planted_;  // the last one is what the last session reads
};

TEST(Extrapolate, multiplies_by_enabled_over_running) {
  weft::counters::detail::extrapolated_sum sum;

  sum.add({.count = 300, .enabled_ns = 1000, .running_ns = 250}, 2);

  EXPECT_DOUBLE_EQ(sum.value, 2400);
  EXPECT_DOUBLE_EQ(sum.counted, 600);
  EXPECT_TRUE(sum.is_complete);
  sum.add({.count = 0, .enabled_ns = 1000, .running_ns = 0}, 2);
  EXPECT_FALSE(sum.is_complete);
}

TEST_F(KernelCounters, read_what_was_counted_between_start_and_stop_only) {
  const process_reading read = measure("instructions",
                                       PERF_COUNT_HW_INSTRUCTIONS,
                                       {.count = 1234, .enabled_ns = 500, .running_ns = 500});

  EXPECT_DOUBLE_EQ(read.value.value_or(-1), 1234);
  EXPECT_DOUBLE_EQ(read.scale, 1);
}

TEST_F(KernelCounters, scale_what_the_kernel_multiplexed) {
  const process_reading read = measure(
      "cycles", PERF_COUNT_HW_CPU_CYCLES, {.count = 100, .enabled_ns = 400, .running_ns = 100});

  EXPECT_DOUBLE_EQ(read.value.value_or(-1), 400);
  EXPECT_DOUBLE_EQ(read.scale, 4);
}

TEST_F(KernelCounters, a_counter_that_was_never_scheduled_in_an_interval_is_unknown) {
  const process_reading read =
      measure("cycles", PERF_COUNT_HW_CPU_CYCLES, {.count = 0, .enabled_ns = 400, .running_ns = 0});

  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_THAT(read.reason, HasSubstr("too many events"));
}

TEST_F(KernelCounters, reset_forgets) {
  process_readings session = make_session();
  session.start();
  kernel_.count(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, {1000, 10, 10});
  session.stop();

  session.reset();
  session.start();
  kernel_.count(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, {7, 10, 10});
  session.stop();

  EXPECT_DOUBLE_EQ(find(session.readings(), "cycles").value.value_or(-1), 7);
}

TEST_F(KernelCounters, one_event_per_thread_that_exists_and_inherited_by_later_ones) {
  root_.write("proc/self/task/41/schedstat", "1 0 1").write("proc/self/task/42/schedstat", "1 0 1");

  const process_reading read = measure("instructions", PERF_COUNT_HW_INSTRUCTIONS, {500, 10, 10});

  EXPECT_DOUBLE_EQ(read.value.value_or(-1), 1000);  // 500 on each of two threads
}

TEST_F(KernelCounters, events_follow_new_threads_and_count_user_mode) {
  const process_readings session = make_session();

  const auto found = std::ranges::find_if(
      kernel_.open_events(), [](const auto& entry) { return is_instructions(entry.second); });
  ASSERT_NE(found, kernel_.open_events().end());
  const perf_event_attr& attr = found->second.attr;
  EXPECT_EQ(attr.inherit, 1u);
  EXPECT_EQ(attr.exclude_kernel, 1u);
  EXPECT_EQ(attr.disabled, 1u);
}

TEST_F(KernelCounters, a_thread_that_ends_during_construction_is_left_out) {
  root_.write("proc/self/task/41/schedstat", "1 0 1").write("proc/self/task/42/schedstat", "1 0 1");
  kernel_.answer = [](const fake_event& event) { return event.thread_id == 42 ? -ESRCH : 0; };

  const process_reading read = measure("instructions", PERF_COUNT_HW_INSTRUCTIONS, {500, 10, 10});

  EXPECT_DOUBLE_EQ(read.value.value_or(-1), 500);
}

TEST_F(KernelCounters, every_descriptor_is_closed_even_after_a_failure_half_way) {
  root_.write("proc/self/task/41/schedstat", "1 0 1").write("proc/self/task/42/schedstat", "1 0 1");
  kernel_.answer = [](const fake_event& event) {
    return event.thread_id == 42 && is_instructions(event) ? -EMFILE : 0;
  };
  {
    const process_readings session = make_session();

    EXPECT_FALSE(kernel_.open_events().empty());
    for (const auto& [descriptor, event] : kernel_.open_events()) {
      EXPECT_FALSE(is_instructions(event));
    }
  }
  EXPECT_TRUE(kernel_.open_events().empty());
}

TEST_F(KernelCounters, moving_a_session_moves_its_descriptors) {
  process_readings session = make_session();
  const std::size_t num_open = kernel_.open_events().size();

  const process_readings moved = std::move(session);

  EXPECT_EQ(kernel_.open_events().size(), num_open);
}

TEST_F(KernelCounters, a_counter_stuck_at_zero_is_rejected) {
  kernel_.first_count = [](const fake_event& event) {
    return raw_count{is_event(event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES)
                         ? std::uint64_t{0}
                         : std::uint64_t{1'000'000'000},
                     1000,
                     1000};
  };

  const process_reading read = measure_idle("branch_misses");

  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_THAT(read.reason, HasSubstr("nothing plausible"));
}

TEST_F(KernelCounters, a_stuck_unit_takes_the_counters_along_that_may_rightly_read_zero) {
  kernel_.first_count = [](const fake_event&) { return raw_count{0, 1000, 1000}; };

  for (const char* name : {"cycles", "instructions", "cache_misses", "fp_256", "task_clock"}) {
    const process_reading read = measure_idle(name);

    EXPECT_EQ(read.value, std::nullopt) << name;
    EXPECT_THAT(read.reason, HasSubstr("counts nothing")) << name;
  }
  EXPECT_TRUE(measure_idle("cpu_migrations").value.has_value());  // no hardware in it
}

TEST_F(KernelCounters, a_counter_below_what_is_certain_is_rejected) {
  kernel_.first_count = [](const fake_event& event) {
    return raw_count{is_instructions(event) ? 17u : 1'000'000'000u, 1000, 1000};
  };

  EXPECT_THAT(measure_idle("instructions").reason, HasSubstr("known work read 17"));
}

TEST_F(KernelCounters, a_counter_that_is_never_scheduled_names_the_rival) {
  kernel_.first_count = [](const fake_event&) { return raw_count{0, 1000, 0}; };

  EXPECT_THAT(measure_idle("cycles").reason, HasSubstr("nmi_watchdog"));
}

TEST_F(KernelCounters, a_failing_read_is_unknown) {
  process_readings session = make_session();
  session.start();
  kernel_.delivers = false;
  session.stop();

  const process_reading read = find(session.readings(), "cycles");

  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_THAT(read.reason, HasSubstr("no longer delivers"));
}

TEST_F(KernelCounters, floating_point_codes_follow_the_processor) {
  const process_readings session = make_session();  // Skylake server

  int num_raw = 0;
  for (const auto& [descriptor, event] : kernel_.open_events()) {
    num_raw += event.attr.type == PERF_TYPE_RAW ? 1 : 0;
  }
  EXPECT_EQ(num_raw, 4);
  EXPECT_THAT(measure_idle("fp_operations").reason, HasSubstr("see fp-scalar"));
}

TEST_F(KernelCounters, zen_2_counts_operations_but_no_widths) {
  identify("AuthenticAMD", 0x17, 0x31);

  EXPECT_TRUE(measure_idle("fp_operations").value.has_value());
  EXPECT_THAT(measure_idle("fp_256").reason, HasSubstr("Zen 2 processors count operations"));
}

TEST_F(KernelCounters, an_unknown_processor_is_named) {
  identify("GenuineIntel", 6, 0x2A);

  EXPECT_THAT(measure_idle("fp_256").reason, HasSubstr("GenuineIntel, family 6, model 42"));
}

TEST_F(KernelCounters, the_memory_estimate_is_misses_times_lines_and_intel_only) {
  const raw_count misses{.count = 1000, .enabled_ns = 10, .running_ns = 10};
  const process_reading on_intel =
      measure("memory_volume_llc_estimate", PERF_COUNT_HW_CACHE_MISSES, misses);
  identify("AuthenticAMD", 0x19, 0x11);
  const process_reading on_amd =
      measure("memory_volume_llc_estimate", PERF_COUNT_HW_CACHE_MISSES, misses);

  EXPECT_DOUBLE_EQ(on_intel.value.value_or(-1), 64000);
  EXPECT_EQ(on_amd.value, std::nullopt);
  EXPECT_THAT(on_amd.reason, HasSubstr("Intel"));
}

TEST_F(KernelCounters, the_estimate_is_unknown_without_misses) {
  kernel_.answer = [](const fake_event&) { return -ENOENT; };

  EXPECT_THAT(measure_idle("memory_volume_llc_estimate").reason, HasSubstr("needs cache_misses"));
}

TEST_F(KernelCounters, memory_controllers_are_summed_in_bytes) {
  for (const char* unit : {"uncore_imc_0", "uncore_imc_1"}) {
    const auto folder = std::filesystem::path("sys/bus/event_source/devices") / unit;
    root_.write(folder / "type", "15")
        .write(folder / "cpumask", "0,8")
        .write(folder / "format/event", "config:0-7")
        .write(folder / "format/umask", "config:8-15")
        .write(folder / "events/cas_count_read", "event=0x04,umask=0x03")
        .write(folder / "events/cas_count_read.scale", "6.103515625e-5")
        .write(folder / "events/cas_count_read.unit", "MiB");
  }
  process_readings session = make_session();

  session.start();
  kernel_.count(15, 0x0304, {.count = 10, .enabled_ns = 5, .running_ns = 5});
  session.stop();

  const auto readings = session.readings();
  EXPECT_DOUBLE_EQ(find(readings, "memory_read").value.value_or(-1), 2 * 2 * 10 * 64);
  EXPECT_THAT(find(readings, "memory_written").reason, HasSubstr("uncore_imc"));
}

}  // namespace kernel_counters_test
