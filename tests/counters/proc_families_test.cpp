// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about counters that the kernel keeps in /proc, on this machine and on planted ones.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/worker_threads.hpp"
#include "counters/families/os.hpp"
#include "tests/counters/planted_families.hpp"
#include "tests/support/fake_root.hpp"

namespace proc_families_test {

using testing::ElementsAre;
using testing::HasSubstr;
using weft::counters::counter_family;
using weft::counters::counter_kind;
using weft::counters::detail::os_families;
using weft::counters::detail::worker_thread;
using weft::counters::test::number_of;
using weft::counters::test::planted_families;
using weft::counters::test::read;
using weft::counters::test::reset;

class ProcFamilies : public testing::Test {
 protected:
  weft::test::fake_root root_;
  std::vector<worker_thread> workers_;
  planted_families families_{
      os_families({.root = root_.path(), .workers = [this] { return workers_; }})};
};

TEST(ProcFamiliesHere, all_but_pressure_read_something_on_every_linux) {
  const planted_families here(os_families());

  for (const counter_family& family : here.all()) {
    const auto value = read(*here.make(family.type.name));
    if (!family.type.name.starts_with("/os/pressure/")) {
      EXPECT_GE(number_of(value), 0) << family.type.name;
    }
  }
}

TEST(ProcFamiliesHere, user_time_grows_with_work) {
  const planted_families here(os_families());
  const auto user = here.make("/os/cpu-time/user");

  reset(*user);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(200)) {
  }

  EXPECT_GT(number_of(read(*user)), 0);
  EXPECT_LT(number_of(read(*user)), 60e9);
}

TEST(ProcFamiliesHere, memory_that_is_touched_becomes_resident) {
  const planted_families here(os_families());
  const auto resident = here.make("/runtime/memory/resident");
  const double before = number_of(read(*resident));

  constexpr std::size_t num_bytes = std::size_t{64} << 20;
  const std::unique_ptr<char[]> memory(new char[num_bytes]);
  volatile char* const touched = memory.get();  // volatile: each store happens
  for (std::size_t i = 0; i < num_bytes; i += 4096) {
    touched[i] = 1;
  }

  EXPECT_GT(number_of(read(*resident)), before + (0.9 * num_bytes));
}

TEST_F(ProcFamilies, every_type_has_a_total_and_nothing_else) {
  for (const counter_family& family : families_.all()) {
    const std::string object = family.type.name.substr(0, family.type.name.find('/', 1));
    EXPECT_THAT(
        families_.instances(family.type.name),
        ElementsAre(object + "{locality#0/total}" + family.type.name.substr(object.size())));
    EXPECT_FALSE(family.type.help.empty());
  }
}

TEST_F(ProcFamilies, read_what_the_files_say_in_their_unit) {
  root_.write("proc/self/io", "rchar: 700\nwchar: 9007199254740993\nsyscr: 3")
      .write("proc/meminfo", "MemTotal: 10 kB\nMemAvailable:   7 kB")
      .write("proc/self/statm", "20 5 1 1 0 1 0")
      .write("proc/pressure/cpu",
             "some avg10=1.00 avg60=2.00 avg300=3.00 total=45\nfull avg10=0 total=9");

  EXPECT_EQ(number_of(read(*families_.make("/runtime/io/read_bytes_issued"))), 700);
  EXPECT_EQ(
      std::get<std::int64_t>(read(*families_.make("/runtime/io/write_bytes_issued")).value.value()),
      9007199254740993);  // no double holds it
  EXPECT_EQ(number_of(read(*families_.make("/runtime/memory/total"))), 7168);
  EXPECT_EQ(number_of(read(*families_.make("/runtime/memory/resident"))),
            5 * ::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(number_of(read(*families_.make("/os/pressure/cpu"))), 45'000);
}

TEST_F(ProcFamilies, totals_count_from_their_own_reset) {
  root_.write("proc/self/io", "rchar: 700");
  const auto first = families_.make("/runtime/io/read_bytes_issued");
  const auto second = families_.make("/runtime/io/read_bytes_issued");

  reset(*first);
  root_.write("proc/self/io", "rchar: 900");
  reset(*second);
  root_.write("proc/self/io", "rchar: 950");

  EXPECT_EQ(number_of(read(*first)), 250);
  EXPECT_EQ(number_of(read(*second)), 50);
}

TEST_F(ProcFamilies, gauges_are_not_changed_by_a_reset) {
  root_.write("proc/self/statm", "20 5 1 1 0 1 0");
  const auto size = families_.make("/runtime/memory/virtual");

  reset(*size);

  EXPECT_EQ(number_of(read(*size)), 20 * ::sysconf(_SC_PAGESIZE));
}

TEST_F(ProcFamilies, what_is_missing_is_unavailable_and_says_where_it_looked) {
  for (const char* name : {"/runtime/io/read_syscalls",
                           "/runtime/memory/virtual",
                           "/os/pressure/memory",
                           "/os/run-delay"}) {
    const auto value = read(*families_.make(name));
    EXPECT_FALSE(value.value.has_value()) << name;
    EXPECT_THAT(value.reason, HasSubstr("/proc/")) << name;
  }
}

TEST_F(ProcFamilies, a_total_that_appears_after_the_reset_is_unknown_until_the_next) {
  const auto bytes = families_.make("/runtime/io/read_bytes_issued");
  reset(*bytes);
  root_.write("proc/self/io", "rchar: 700");

  EXPECT_THAT(read(*bytes).reason, HasSubstr("reset to count from now on"));

  reset(*bytes);
  EXPECT_EQ(number_of(read(*bytes)), 0);
}

TEST_F(ProcFamilies, what_the_kernel_keeps_of_threads_has_workers) {
  workers_ = {{.pool = "default", .worker = 3, .thread_id = 77}};
  root_.write("proc/self/task/77/schedstat", "1000 250 9")
      .write("proc/self/task/77/status",
             "Name: x\nvoluntary_ctxt_switches:\t5\n"
             "nonvoluntary_ctxt_switches:\t2")
      .write("proc/self/task/77/stat", "77 (a) b) c) R 1 1 1 0 -1 4194304 100 0 8 0");
  const auto value_of = [&](const std::string& counter) {
    return number_of(read(*families_.make("/os{locality#0/worker-thread#3}/" + counter)));
  };

  EXPECT_EQ(value_of("run-delay"), 250);
  EXPECT_EQ(value_of("context-switches/voluntary"), 5);
  EXPECT_EQ(value_of("context-switches/involuntary"), 2);
  EXPECT_EQ(value_of("page-faults/minor"), 100);
  EXPECT_EQ(value_of("page-faults/major"), 8);
  EXPECT_THAT(families_.instances("/os/run-delay"),
              ElementsAre("/os{locality#0/total}/run-delay",
                          "/os{locality#0/pool#default/worker-thread#3}/run-delay"));
}

TEST_F(ProcFamilies, workers_count_from_their_reset_and_may_leave) {
  workers_ = {{.pool = "default", .worker = 3, .thread_id = 77}};
  root_.write("proc/self/task/77/schedstat", "1000 250 9");
  const auto delay = families_.make("/os{locality#0/pool#default/worker-thread#3}/run-delay");
  reset(*delay);

  root_.write("proc/self/task/77/schedstat", "1000 300 9");
  EXPECT_EQ(number_of(read(*delay)), 50);
  workers_.clear();
  EXPECT_THAT(read(*delay).reason, HasSubstr("no such worker"));
}

TEST_F(ProcFamilies, kinds_are_what_resets_do) {
  EXPECT_EQ(families_.family_of("/runtime/memory/total").type.kind, counter_kind::gauge);
  EXPECT_EQ(families_.family_of("/os/run-delay").type.kind, counter_kind::total);
}

}  // namespace proc_families_test
