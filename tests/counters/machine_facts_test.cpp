// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the reasons given when a kernel counter cannot be had.
#include "counters/families/perf/machine_facts.hpp"

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "counters/families/perf/cpu_events.hpp"
#include "tests/support/fake_root.hpp"

namespace machine_facts_test {

using testing::AllOf;
using testing::HasSubstr;
using weft::counters::detail::explain_open_error;
using weft::counters::detail::find_cpu;
using weft::counters::detail::machine_facts;
using weft::counters::detail::privilege;
using weft::counters::detail::read_machine_facts;

TEST(MachineFacts, are_read_from_the_first_processor) {
  weft::test::fake_root root;
  root.write("proc/cpuinfo",
             "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\n"
             "model name\t: AMD EPYC\nflags\t\t: fpu hypervisor lm\n\nprocessor\t: 1\nmodel\t\t: 9")
      .write("proc/sys/kernel/perf_event_paranoid", "2");

  const machine_facts facts = read_machine_facts(root.path());

  EXPECT_EQ(facts.vendor, "AuthenticAMD");
  EXPECT_EQ(facts.family, 26);
  EXPECT_EQ(facts.model, 2);
  EXPECT_TRUE(facts.is_virtual);
  EXPECT_FALSE(facts.has_cpu_pmu);
  EXPECT_EQ(facts.perf_event_paranoid, 2);
}

TEST(MachineFacts, a_bare_machine_has_a_pmu_and_no_hypervisor) {
  weft::test::fake_root root;
  root.write("proc/cpuinfo", "flags\t\t: fpu nohypervisors lm")
      .write("sys/bus/event_source/devices/cpu_core/type", "4");

  const machine_facts facts = read_machine_facts(root.path());

  EXPECT_TRUE(facts.has_cpu_pmu);
  EXPECT_FALSE(facts.is_virtual);
  EXPECT_EQ(facts.perf_event_paranoid, std::nullopt);
}

TEST(OpenError, a_guest_without_a_unit_differs_from_an_event_the_unit_lacks) {
  machine_facts machine;
  machine.is_virtual = true;
  EXPECT_THAT(explain_open_error(-ENOENT, privilege::user_only, machine),
              AllOf(HasSubstr("virtual machine"), HasSubstr("PAPI")));

  machine.has_cpu_pmu = true;
  EXPECT_THAT(explain_open_error(-ENOENT, privilege::user_only, machine),
              HasSubstr("no such event"));
}

TEST(OpenError, a_paranoid_kernel_is_named_with_the_level_to_set) {
  machine_facts machine;
  machine.perf_event_paranoid = 3;
  EXPECT_THAT(explain_open_error(-EACCES, privilege::user_only, machine),
              AllOf(HasSubstr("perf_event_paranoid is 3"),
                    HasSubstr("`sysctl kernel.perf_event_paranoid=2`"),
                    HasSubstr("CAP_PERFMON")));
  EXPECT_THAT(explain_open_error(-EPERM, privilege::whole_machine, machine),
              HasSubstr("`sysctl kernel.perf_event_paranoid=0`"));
}

TEST(OpenError, a_denial_that_the_paranoid_level_cannot_explain_blames_the_container) {
  machine_facts machine;
  machine.perf_event_paranoid = 1;

  EXPECT_THAT(explain_open_error(-EPERM, privilege::kernel_mode, machine),
              AllOf(HasSubstr("although"), HasSubstr("seccomp")));
}

TEST(OpenError, a_denial_is_explained_even_if_the_level_cannot_be_read) {
  EXPECT_THAT(explain_open_error(-EACCES, privilege::kernel_mode, {}),
              AllOf(HasSubstr("EACCES"), HasSubstr("perf_event_paranoid=1")));
}

TEST(OpenError, every_other_code_has_its_own_words) {
  const std::vector<std::pair<int, std::string>> expectations{
      {ENOSYS, "seccomp"},
      {EMFILE, "ulimit -n"},
      {ENFILE, "whole machine"},
      {EOPNOTSUPP, "hypervisor"},
      {EBUSY, "another profiler"},
      {EINVAL, "EINVAL"},
      {ENODEV, "not there"},
      {ENXIO, "not there"},
      {E2BIG, "error " + std::to_string(E2BIG)}};
  for (const auto& [code, words] : expectations) {
    EXPECT_THAT(explain_open_error(-code, privilege::user_only, {}), HasSubstr(words)) << code;
  }
}

TEST(CpuEvents, ranges_do_not_overlap) {
  for (const auto& row : weft::counters::detail::known_cpus) {
    EXPECT_LE(row.first_model, row.last_model) << row.name;
    EXPECT_EQ(find_cpu(row.vendor, row.family, row.first_model), &row) << row.name;
    EXPECT_EQ(find_cpu(row.vendor, row.family, row.last_model), &row) << row.name;
  }
}

TEST(CpuEvents, wide_vectors_are_where_the_manuals_say) {
  EXPECT_EQ(find_cpu("GenuineIntel", 6, 0x55)->codes[3], 0xC0C7);
  EXPECT_EQ(find_cpu("GenuineIntel", 6, 0x9E)->codes[3], 0);
  EXPECT_EQ(find_cpu("AuthenticAMD", 0x19, 0x61)->codes[3], 0x2008);
  EXPECT_EQ(find_cpu("AuthenticAMD", 0x19, 0x21)->codes[3], 0);
  EXPECT_EQ(find_cpu("GenuineIntel", 6, 0x3C), nullptr);
}

}  // namespace machine_facts_test
