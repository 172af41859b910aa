// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about counters of kernel events on this machine and on planted kernels.
#include "counters/families/perf/perf_families.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <time.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/worker_threads.hpp"
#include "counters/families/perf/perf_kernel.hpp"
#include "counters/families/perf/perf_machine.hpp"
#include "tests/counters/fake_kernel.hpp"
#include "tests/counters/planted_families.hpp"
#include "tests/support/fake_root.hpp"

namespace perf_families_test {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using weft::counters::counter;
using weft::counters::counter_family;
using weft::counters::counter_value;
using weft::counters::evaluation;
using weft::counters::detail::perf_families;
using weft::counters::detail::perf_surroundings;
using weft::counters::detail::raw_count;
using weft::counters::detail::worker_thread;
using weft::counters::test::fake_event;
using weft::counters::test::fake_kernel;
using weft::counters::test::number_of;
using weft::counters::test::planted_families;
using weft::counters::test::read;
using weft::counters::test::reset;

constexpr std::uint32_t hardware = PERF_TYPE_HARDWARE;

void work_for_ns(std::int64_t cpu_ns) {
  timespec used{};
  do {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  } while (used.tv_sec == 0 && used.tv_nsec < cpu_ns);
}

class PerfFamilies : public testing::Test {
 protected:
  PerfFamilies() {
    root_.write("sys/bus/event_source/devices/cpu/type", "4")
        .write("proc/sys/kernel/perf_event_paranoid", "2")
        .write("proc/self/task/41/comm", "a");
    identify("GenuineIntel", 6, 62);
  }
  void identify(const std::string& vendor, int family, int model) {
    root_.write("proc/cpuinfo",
                "vendor_id\t: " + vendor + "\ncpu family\t: " + std::to_string(family) +
                    "\nmodel\t\t: " + std::to_string(model));
  }
  void refuse_with(int error_code) {
    kernel_.answer = [error_code](const fake_event& /*event*/) { return -error_code; };
  }
  [[nodiscard]] std::unique_ptr<counter> make(const std::string& name) const {
    return families_.make(name);
  }
  [[nodiscard]] std::string reason_of(const std::string& name) const {
    const auto made = make(name);
    reset(*made);
    return read(*made).reason;
  }
  /// How many open events of threads count `config`.
  [[nodiscard]] std::vector<fake_event> events_of(std::uint64_t config) const {
    std::vector<fake_event> found;
    for (const auto& [descriptor, event] : kernel_.open_events()) {
      if (event.attr.config == config) {
        found.push_back(event);
      }
    }
    return found;
  }

  weft::test::fake_root root_;
  fake_kernel kernel_;
  std::vector<worker_thread> workers_{{.pool = "default", .worker = 3, .thread_id = 77}};
  planted_families families_{perf_families({.where = {.root = root_.path(), .kernel = &kernel_},
                                            .workers = [this] { return workers_; },
                                            .processor = {.counter = nullptr, .clock = nullptr}})};
};

TEST(PerfFamiliesHere, every_counter_has_a_value_or_a_reason) {
  const planted_families here(perf_families());

  for (const counter_family& family : here.all()) {
    if (!family.is_open) {
      const counter_value value = read(*here.make(family.type.name));
      EXPECT_NE(value.value.has_value(), !value.reason.empty()) << family.type.name;
    }
  }
}

TEST(PerfFamiliesHere, task_clock_counts_threads_that_begin_later) {
  const planted_families here(perf_families());
  const auto clock = here.make("/perf/task-clock");
  evaluation begin;
  clock->reset(begin);
  if (!clock->evaluate(begin).value) {
    GTEST_SKIP() << clock->evaluate(begin).reason;
  }

  constexpr std::int64_t worked_ns = 20'000'000;
  std::thread([] { work_for_ns(worked_ns); }).join();

  EXPECT_GE(number_of(read(*clock)), 0.9 * static_cast<double>(worked_ns));
}

TEST_F(PerfFamilies, a_guest_without_a_unit_says_so) {
  std::filesystem::remove_all(root_.path() / "sys");
  root_.write("proc/cpuinfo", "flags\t\t: fpu hypervisor lm");
  refuse_with(ENOENT);

  EXPECT_THAT(reason_of("/perf/cycles"),
              HasSubstr("no performance monitoring unit in this virtual"));
  EXPECT_THAT(reason_of("/perf{locality#0/worker-thread#3}/instructions"), HasSubstr("ENOENT"));
}

TEST_F(PerfFamilies, an_event_that_the_unit_lacks_says_so) {
  refuse_with(ENOENT);

  EXPECT_THAT(reason_of("/perf/node-loads"), HasSubstr("has no such event"));
}

TEST_F(PerfFamilies, paranoid_kernels_are_named_with_what_to_type) {
  root_.write("proc/sys/kernel/perf_event_paranoid", "4");
  refuse_with(EACCES);

  EXPECT_THAT(reason_of("/perf/cycles"),
              AllOf(HasSubstr("kernel.perf_event_paranoid is 4"),
                    HasSubstr("`sysctl kernel.perf_event_paranoid=2`")));
  EXPECT_THAT(reason_of("/perf/context-switches"),
              HasSubstr("`sysctl kernel.perf_event_paranoid=1`"));
}

TEST_F(PerfFamilies, a_filter_that_denies_the_system_call_is_told_from_the_level) {
  refuse_with(EPERM);

  EXPECT_THAT(reason_of("/perf/cycles"), HasSubstr("seccomp"));
}

TEST_F(PerfFamilies, an_event_that_opens_and_stays_zero_is_unavailable) {
  kernel_.first_count = [](const fake_event& /*event*/) {
    return raw_count{.count = 0, .enabled_ns = 10, .running_ns = 10};
  };

  EXPECT_THAT(reason_of("/perf/instructions"), HasSubstr("counts nothing plausible"));
  // may rightly be 0, but not on a unit that counts nothing
  EXPECT_THAT(reason_of("/perf/LLC-loads"), HasSubstr("opens events but counts nothing"));
  EXPECT_THAT(reason_of("/perf/r01C7"), HasSubstr("opens events but counts nothing"));
}

TEST_F(PerfFamilies, an_event_that_is_never_scheduled_is_unavailable) {
  kernel_.first_count = [](const fake_event& /*event*/) {
    return raw_count{.count = 0, .enabled_ns = 10, .running_ns = 0};
  };

  EXPECT_THAT(reason_of("/perf/cycles"), HasSubstr("nmi_watchdog"));
}

TEST_F(PerfFamilies, totals_cover_every_thread_and_those_it_starts) {
  root_.write("proc/self/task/42/comm", "b");
  const auto cycles = make("/perf/cycles");
  reset(*cycles);

  kernel_.count(
      hardware, PERF_COUNT_HW_CPU_CYCLES, {.count = 500, .enabled_ns = 9, .running_ns = 9});

  EXPECT_EQ(number_of(read(*cycles)), 1000);
  for (const fake_event& event : events_of(PERF_COUNT_HW_CPU_CYCLES)) {
    EXPECT_THAT(event.thread_id, AnyOf(41, 42));
    EXPECT_EQ(event.attr.inherit, 1u);
    EXPECT_EQ(event.attr.exclude_kernel, 1u);
  }
}

TEST_F(PerfFamilies, a_thread_that_ends_while_events_are_opened_is_left_out) {
  root_.write("proc/self/task/42/comm", "b");
  kernel_.answer = [](const fake_event& event) { return event.thread_id == 42 ? -ESRCH : 0; };
  const auto cycles = make("/perf/cycles");
  reset(*cycles);

  kernel_.count(
      hardware, PERF_COUNT_HW_CPU_CYCLES, {.count = 500, .enabled_ns = 9, .running_ns = 9});

  EXPECT_EQ(number_of(read(*cycles)), 500);
}

TEST_F(PerfFamilies, a_failure_half_way_closes_what_is_open) {
  root_.write("proc/self/task/42/comm", "b");
  kernel_.answer = [](const fake_event& event) { return event.thread_id == 42 ? -EMFILE : 0; };

  const auto cycles = make("/perf/cycles");

  EXPECT_THAT(read(*cycles).reason, HasSubstr("ulimit -n"));
  EXPECT_THAT(kernel_.open_events(), IsEmpty());
}

TEST_F(PerfFamilies, a_reset_tries_again_what_others_were_in_the_way_of) {
  refuse_with(EMFILE);
  const auto cycles = make("/perf/cycles");
  reset(*cycles);
  EXPECT_THAT(read(*cycles).reason, HasSubstr("EMFILE"));

  refuse_with(0);
  reset(*cycles);

  EXPECT_TRUE(read(*cycles).value.has_value());
}

TEST_F(PerfFamilies, descriptors_are_closed_with_the_counter) {
  {
    const auto cycles = make("/perf/cycles");
    reset(*cycles);
    EXPECT_FALSE(kernel_.open_events().empty());
  }
  EXPECT_THAT(kernel_.open_events(), IsEmpty());
}

TEST_F(PerfFamilies, workers_are_counted_by_their_thread_alone) {
  const auto cycles = make("/perf{locality#0/worker-thread#3}/cycles");
  reset(*cycles);

  const std::vector<fake_event> events = events_of(PERF_COUNT_HW_CPU_CYCLES);

  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].thread_id, 77);
  EXPECT_EQ(events[0].cpu, -1);
  EXPECT_EQ(events[0].attr.inherit, 0u);
  EXPECT_THAT(families_.instances("/perf/cycles"),
              ElementsAre("/perf{locality#0/total}/cycles",
                          "/perf{locality#0/pool#default/worker-thread#3}/cycles"));
}

TEST_F(PerfFamilies, a_worker_is_followed_to_its_next_thread) {
  const auto cycles = make("/perf{locality#0/pool#default/worker-thread#3}/cycles");
  reset(*cycles);
  const raw_count more{.count = 500, .enabled_ns = 9, .running_ns = 9};
  kernel_.first_count = [](const fake_event& /*event*/) { return raw_count{}; };

  kernel_.count(hardware, PERF_COUNT_HW_CPU_CYCLES, more);
  workers_[0].thread_id = 78;
  EXPECT_EQ(number_of(read(*cycles)), 500);  // the new thread's begins here
  kernel_.count(hardware, PERF_COUNT_HW_CPU_CYCLES, more);

  EXPECT_EQ(number_of(read(*cycles)), 1500);  // 1000 on the old thread, 500 on the new one
}

TEST_F(PerfFamilies, a_worker_that_is_not_there_is_unavailable_until_it_comes) {
  const auto cycles = make("/perf{locality#0/worker-thread#9}/cycles");

  EXPECT_THAT(read(*cycles).reason, HasSubstr("no such worker"));

  workers_.push_back({.pool = "default", .worker = 9, .thread_id = 90});
  EXPECT_THAT(read(*cycles).reason, HasSubstr("counting begins with this reading"));
  kernel_.count(hardware, PERF_COUNT_HW_CPU_CYCLES, {.count = 5, .enabled_ns = 9, .running_ns = 9});
  EXPECT_TRUE(read(*cycles).value.has_value());
}

TEST_F(PerfFamilies, workers_of_other_pools_need_the_pool_in_the_name) {
  workers_[0].pool = "io";

  EXPECT_THAT(reason_of("/perf{locality#0/worker-thread#3}/cycles"), HasSubstr("no such worker"));
  EXPECT_THAT(reason_of("/perf{locality#0/pool#io/worker-thread#3}/cycles"), IsEmpty());
}

TEST_F(PerfFamilies, events_opened_at_one_moment_are_scheduled_together) {
  const auto cycles = make("/perf{locality#0/worker-thread#3}/cycles");
  const auto instructions = make("/perf{locality#0/worker-thread#3}/instructions");
  const auto later = make("/perf{locality#0/worker-thread#3}/branches");
  evaluation begin;
  cycles->reset(begin);
  instructions->reset(begin);
  reset(*later);

  const int leader = std::ranges::find_if(kernel_.open_events(), [](const auto& each) {
                       return each.second.attr.config == PERF_COUNT_HW_CPU_CYCLES;
                     })->first;

  EXPECT_EQ(events_of(PERF_COUNT_HW_CPU_CYCLES).at(0).leader, -1);
  EXPECT_EQ(events_of(PERF_COUNT_HW_INSTRUCTIONS).at(0).leader, leader);
  EXPECT_EQ(events_of(PERF_COUNT_HW_BRANCH_INSTRUCTIONS).at(0).leader, -1);
}

TEST_F(PerfFamilies, an_event_that_fits_in_no_group_leads_the_next) {
  kernel_.answer = [](const fake_event& event) {
    return event.leader >= 0 && event.attr.config == PERF_COUNT_HW_INSTRUCTIONS ? -EINVAL : 0;
  };
  const auto cycles = make("/perf/cycles");
  const auto instructions = make("/perf/instructions");
  evaluation begin;
  cycles->reset(begin);
  instructions->reset(begin);

  EXPECT_THAT(read(*instructions).reason, IsEmpty());
  EXPECT_EQ(events_of(PERF_COUNT_HW_INSTRUCTIONS).at(0).leader, -1);
}

TEST_F(PerfFamilies, what_the_kernel_multiplexed_is_extrapolated_and_says_so) {
  const auto cycles = make("/perf/cycles");
  reset(*cycles);

  kernel_.count(
      hardware, PERF_COUNT_HW_CPU_CYCLES, {.count = 100, .enabled_ns = 400, .running_ns = 100});

  const counter_value value = read(*cycles);
  EXPECT_EQ(number_of(value), 400);
  ASSERT_TRUE(value.sampled.has_value());
  EXPECT_DOUBLE_EQ(value.sampled->one_in, 4);
  EXPECT_EQ(value.sampled->num_samples, 100u);
  EXPECT_DOUBLE_EQ(value.sampled->half_width, 300);
}

TEST_F(PerfFamilies, what_was_counted_all_the_time_is_exact) {
  const auto cycles = make("/perf/cycles");
  reset(*cycles);

  kernel_.count(hardware,
                PERF_COUNT_HW_CPU_CYCLES,
                {.count = 9007199254740993, .enabled_ns = 4, .running_ns = 4});

  EXPECT_FALSE(read(*cycles).sampled.has_value());
}

TEST_F(PerfFamilies, an_interval_without_a_turn_on_the_hardware_is_unknown) {
  const auto cycles = make("/perf/cycles");
  reset(*cycles);

  kernel_.count(
      hardware, PERF_COUNT_HW_CPU_CYCLES, {.count = 0, .enabled_ns = 400, .running_ns = 0});

  EXPECT_THAT(read(*cycles).reason, HasSubstr("too many events"));
}

TEST_F(PerfFamilies, resets_of_one_counter_do_not_show_in_another) {
  const auto first = make("/perf/cycles");
  const auto second = make("/perf/cycles");
  const raw_count more{.count = 500, .enabled_ns = 9, .running_ns = 9};
  reset(*first);
  reset(*second);

  kernel_.count(hardware, PERF_COUNT_HW_CPU_CYCLES, more);
  reset(*first);
  kernel_.count(hardware, PERF_COUNT_HW_CPU_CYCLES, more);

  EXPECT_EQ(number_of(read(*first)), 500);
  EXPECT_EQ(number_of(read(*second)), 1000);
}

TEST_F(PerfFamilies, a_worker_that_reads_its_own_counter_needs_no_system_call) {
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.cap_user_time = 1;
  page.index = 1;
  page.pmc_width = 48;
  kernel_.page = &page;
  workers_[0].thread_id = ::gettid();
  const planted_families families(
      perf_families({.where = {.root = root_.path(), .kernel = &kernel_},
                     .workers = [this] { return workers_; },
                     .processor = {.counter = [](std::uint32_t) { return std::uint64_t{70}; },
                                   .clock = [] { return std::uint64_t{0}; }}}));
  const auto own = families.make("/perf{locality#0/worker-thread#3}/cycles");
  const auto total = families.make("/perf/cycles");
  reset(*own);
  reset(*total);

  page.offset = 500;
  kernel_.delivers = false;

  EXPECT_EQ(number_of(read(*own)), 500);
  EXPECT_THAT(read(*total).reason, HasSubstr("no longer delivers"));  // other threads' registers
}

TEST_F(PerfFamilies, a_kernel_that_stops_delivering_is_unavailable) {
  const auto cycles = make("/perf/cycles");
  reset(*cycles);
  kernel_.delivers = false;

  EXPECT_THAT(read(*cycles).reason, HasSubstr("no longer delivers"));
}

TEST_F(PerfFamilies, the_papers_bandwidth_is_64_bytes_per_offcore_request) {
  const auto bytes = make("/perf/offcore-bytes");
  const auto rate = make("/perf/offcore-bandwidth");
  evaluation begin;
  bytes->reset(begin);
  rate->reset(begin);

  for (const std::uint64_t code : {0x08B0U, 0x02B0U, 0x04B0U}) {
    kernel_.count(PERF_TYPE_RAW, code, {.count = 10, .enabled_ns = 9, .running_ns = 9});
  }
  evaluation end;

  const double elapsed_s = std::chrono::duration<double>(end.time() - begin.time()).count();
  EXPECT_EQ(number_of(bytes->evaluate(end)), 30 * 64);
  EXPECT_DOUBLE_EQ(number_of(rate->evaluate(end)), 30 * 64 / elapsed_s);
}

TEST_F(PerfFamilies, other_processors_count_what_comes_closest) {
  identify("AuthenticAMD", 0x19, 0x11);
  const auto bytes = make("/perf/offcore-bytes");
  reset(*bytes);

  kernel_.count(PERF_TYPE_RAW, 0x0964, {.count = 10, .enabled_ns = 9, .running_ns = 9});

  EXPECT_EQ(number_of(read(*bytes)), 640);
  EXPECT_THAT(families_.family_of("/perf/offcore-bytes").type_of({}).help, HasSubstr("l2_pf_miss"));
}

TEST_F(PerfFamilies, neoverse_cores_count_refills) {
  root_.write(
      "proc/cpuinfo",
      "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40");
  const auto bytes = make("/perf/offcore-bytes");
  reset(*bytes);

  kernel_.count(PERF_TYPE_RAW, 0x17, {.count = 10, .enabled_ns = 9, .running_ns = 9});

  EXPECT_EQ(number_of(read(*bytes)), 640);
}

TEST_F(PerfFamilies, processors_that_no_table_knows_are_named) {
  identify("CentaurHauls", 7, 59);

  EXPECT_THAT(reason_of("/perf/offcore-bandwidth"), HasSubstr("CentaurHauls, family 7, model 59"));
}

TEST_F(PerfFamilies, memory_controllers_are_summed) {
  const std::string unit = "sys/bus/event_source/devices/uncore_imc_0";
  root_.write(unit + "/type", "20")
      .write(unit + "/cpumask", "0,18")
      .write(unit + "/format/event", "config:0-7")
      .write(unit + "/events/cas_count_read", "event=0x04")
      .write(unit + "/events/cas_count_write", "event=0x05");
  const auto read_bytes = make("/perf/memory-read");
  reset(*read_bytes);

  kernel_.count(20, 0x04, {.count = 10, .enabled_ns = 9, .running_ns = 9});
  kernel_.count(20, 0x05, {.count = 7, .enabled_ns = 9, .running_ns = 9});

  EXPECT_EQ(number_of(read(*read_bytes)), 2 * 10 * 64);  // on two packages
  EXPECT_THAT(reason_of("/perf/memory-written"), IsEmpty());
  EXPECT_THAT(families_.instances("/perf/memory-read"),
              ElementsAre("/perf{locality#0/total}/memory-read"));
}

TEST_F(PerfFamilies, without_memory_controllers_the_reason_names_the_place) {
  EXPECT_THAT(reason_of("/perf/memory-bandwidth"), HasSubstr("uncore_imc"));
}

TEST_F(PerfFamilies, raw_codes_and_terms_of_units_are_events) {
  root_.write("sys/bus/event_source/devices/cpu/format/event", "config:0-7")
      .write("sys/bus/event_source/devices/cpu/format/umask", "config:8-15")
      .write("sys/bus/event_source/devices/cpu/events/mem-loads", "event=0xcd,umask=0x1");
  const auto raw = make("/perf/r08B0");
  const auto terms = make("/perf/cpu/event=0x3c,umask=0x02/");
  const auto named = make("/perf/cpu/mem-loads");
  for (const auto* each : {&raw, &terms, &named}) {
    reset(**each);
  }

  EXPECT_EQ(events_of(0x08B0).at(0).attr.type, static_cast<std::uint32_t>(PERF_TYPE_RAW));
  EXPECT_EQ(events_of(0x023C).at(0).attr.type, 4u);
  EXPECT_EQ(events_of(0x01CD).size(), 1u);
}

TEST_F(PerfFamilies, events_that_no_machine_knows_are_errors_with_the_nearest) {
  try {
    FAIL() << make("/perf/cylces").get();
  } catch (const weft::error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("nearest is cycles"));
  }
}

TEST_F(PerfFamilies, events_that_other_machines_know_are_unavailable) {
  EXPECT_THAT(reason_of("/perf/NO_SUCH_EVENT:ALL"), HasSubstr("libpfm4"));
  EXPECT_THAT(reason_of("/perf/nounit/event=1/"), HasSubstr("no unit nounit here"));
  EXPECT_THAT(reason_of("/perf/cpu/nonsense=1/"), HasSubstr("does not understand"));
}

TEST_F(PerfFamilies, other_names_of_an_event_mean_the_same) {
  const auto cycles = make("/perf/cpu-cycles");
  reset(*cycles);

  EXPECT_EQ(events_of(PERF_COUNT_HW_CPU_CYCLES).size(), 1u);
}

TEST_F(PerfFamilies, parameters_are_refused) {
  EXPECT_THROW(static_cast<void>(make("/perf/cycles@5")), weft::error);
}

}  // namespace perf_families_test
