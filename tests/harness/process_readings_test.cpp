// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a session over the whole process, on the kernel this test runs on.
#include "lab/harness/process_readings.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/harness/find_reading.hpp"
#include "tests/support/fake_root.hpp"

namespace process_readings_test {

using testing::HasSubstr;
using weft::lab::process_reading;
using weft::lab::process_readings;
using weft::lab::recorded_counters;
using weft::lab::test::find;
using weft::lab::test::planted_counters;

double thread_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void burn(double cpu_s) {
  for (const double end_s = thread_cpu_s() + cpu_s; thread_cpu_s() < end_s;) {
  }
}

void burn_on_threads(int num_threads, double cpu_s) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(num_threads));
  for (int i = 0; i < num_threads; ++i) {
    threads.emplace_back(burn, cpu_s);
  }
}

TEST(ProcessReadings, reports_every_row_of_the_catalog_in_order) {
  const auto readings = process_readings{}.readings();

  ASSERT_EQ(readings.size(), recorded_counters.size());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    EXPECT_EQ(readings[i].name, recorded_counters[i].name);
    EXPECT_EQ(readings[i].unit, recorded_counters[i].unit);
  }
}

TEST(ProcessReadings, has_no_values_but_reasons_before_the_first_stop_and_after_a_reset) {
  process_readings session;
  session.start();
  const auto started = session.readings();
  session.stop();
  session.reset();

  for (const auto& readings : {started, session.readings()}) {
    for (const process_reading& read : readings) {
      EXPECT_FALSE(read.value.has_value()) << read.name;
      EXPECT_THAT(read.reason, HasSubstr("call start()")) << read.name;
    }
  }
}

TEST(ProcessReadings, every_reading_has_either_a_value_or_a_reason) {
  process_readings session;
  session.start();
  burn(0.001);
  session.stop();

  for (const process_reading& read : session.readings()) {
    EXPECT_NE(read.value.has_value(), !read.reason.empty()) << read.name;
  }
}

class CpuTime : public testing::TestWithParam<int> {};

TEST_P(CpuTime, cpu_time_grows_with_work_on_every_thread) {
  process_readings session;
  session.start();
  burn_on_threads(GetParam(), 0.02);
  session.stop();

  const auto readings = session.readings();
  const double expected_s = 0.02 * GetParam();
  EXPECT_GE(find(readings, "cpu_time").value.value_or(0), 0.95 * expected_s);
  if (const process_reading clock = find(readings, "task_clock"); clock.value) {
    EXPECT_GE(*clock.value, 0.95 * expected_s);
  } else {
    EXPECT_FALSE(clock.reason.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, CpuTime, testing::Values(1, 3));

TEST(ProcessReadings, threads_that_exist_already_are_counted_by_the_kernel_too) {
  std::atomic<bool> is_open = false;
  std::jthread worker([&] {
    is_open.wait(false);
    burn(0.02);
  });
  process_readings session;

  session.start();
  is_open = true;
  is_open.notify_one();
  worker.join();
  session.stop();

  if (const process_reading clock = find(session.readings(), "task_clock"); clock.value) {
    EXPECT_GE(*clock.value, 0.95 * 0.02);
  }
}

TEST(ProcessReadings, work_between_stop_and_start_does_not_count) {
  process_readings session;
  session.start();
  session.stop();
  burn(0.05);
  session.start();
  session.stop();

  EXPECT_LT(find(session.readings(), "cpu_time").value.value_or(1), 0.02);
}

TEST(ProcessReadings, intervals_add_up) {
  process_readings session;
  for (int i = 0; i < 4; ++i) {
    session.start();
    burn(0.005);
    session.stop();
  }

  EXPECT_GE(find(session.readings(), "cpu_time").value.value_or(0), 0.95 * 0.02);
}

TEST(ProcessReadings, minor_page_faults_grow_when_fresh_pages_are_touched) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t num_pages = 64;
  void* pages = mmap(
      nullptr, num_pages * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  madvise(pages, num_pages * page_bytes, MADV_NOHUGEPAGE);
  process_readings session;

  session.start();
  for (std::size_t i = 0; i < num_pages; ++i) {
    static_cast<volatile char*>(pages)[i * page_bytes] = 1;
  }
  session.stop();

  EXPECT_GE(find(session.readings(), "page_faults_minor").value.value_or(0), num_pages);
  munmap(pages, num_pages * page_bytes);
}

TEST(ProcessReadings, voluntary_context_switches_grow_on_sleep) {
  process_readings session;

  session.start();
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  session.stop();

  EXPECT_GE(find(session.readings(), "context_switches_voluntary").value.value_or(0), 5);
}

class RunDelay : public testing::Test {
 protected:
  void plant(int thread, const std::string& schedstat) {
    root_.write("proc/self/task/" + std::to_string(thread) + "/schedstat", schedstat);
  }
  process_reading measure_between(const std::function<void()>& change) {
    const planted_counters planted(root_.path());
    process_readings session = planted.session();
    session.start();
    change();
    session.stop();
    return find(session.readings(), "run_delay");
  }
  weft::test::fake_root root_;
};

TEST_F(RunDelay, sums_what_every_thread_waited_since_the_first_start) {
  plant(11, "5000 1000000000 3");
  plant(12, "5000 2000000000 3");

  const process_reading read = measure_between([this] {
    plant(11, "6000 1500000000 4");
    plant(13, "6000 250000000 1");
  });

  EXPECT_DOUBLE_EQ(read.value.value_or(-1), 0.75);
  EXPECT_TRUE(read.includes_pauses);
}

TEST_F(RunDelay, is_unknown_if_a_thread_took_its_share_along) {
  plant(11, "5000 1000000000 3");
  plant(12, "5000 2000000000 3");

  const process_reading read =
      measure_between([this] { std::filesystem::remove_all(root_.path() / "proc/self/task/12"); });

  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_THAT(read.reason, HasSubstr("1 threads ended"));
}

TEST_F(RunDelay, is_unknown_where_the_kernel_keeps_none) {
  plant(11, "0 0 0");

  const process_reading read = measure_between([] {});

  EXPECT_EQ(read.value, std::nullopt);
  EXPECT_THAT(read.reason, HasSubstr("CONFIG_SCHED_INFO"));
}

}  // namespace process_readings_test
