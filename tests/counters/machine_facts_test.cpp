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

TEST(CpuEvents, processors_have_the_numbers_that_their_makers_gave_them) {
  struct processor {
    const char* vendor;
    int family;
    std::vector<int> models;
    const char* name;
    int code_of_512_bits;
  };
  const std::vector<processor> published = {
      {"GenuineIntel", 6, {0x3D, 0x47}, "Broadwell", 0},
      {"GenuineIntel", 6, {0x4F}, "Broadwell server", 0},
      {"GenuineIntel", 6, {0x56}, "Broadwell-DE", 0},
      {"GenuineIntel", 6, {0x4E, 0x5E}, "Skylake", 0},
      {"GenuineIntel", 6, {0x8E}, "Kaby Lake", 0},
      {"GenuineIntel", 6, {0x9E}, "Coffee Lake", 0},
      {"GenuineIntel", 6, {0xA5, 0xA6}, "Comet Lake", 0},
      {"GenuineIntel", 6, {0x55}, "Skylake server", 0xC0C7},
      {"GenuineIntel", 6, {0x6A, 0x6C}, "Ice Lake server", 0xC0C7},
      {"GenuineIntel", 6, {0x7D, 0x7E}, "Ice Lake", 0xC0C7},
      {"GenuineIntel", 6, {0x8C, 0x8D}, "Tiger Lake", 0xC0C7},
      {"GenuineIntel", 6, {0xA7}, "Rocket Lake", 0xC0C7},
      {"GenuineIntel", 6, {0x8F}, "Sapphire Rapids", 0xC0C7},
      {"GenuineIntel", 6, {0xCF}, "Emerald Rapids", 0xC0C7},
      {"GenuineIntel", 6, {0xAD, 0xAE}, "Granite Rapids", 0xC0C7},
      {"AuthenticAMD", 0x17, {0x00, 0x01, 0x11, 0x2F}, "Zen", 0},
      {"AuthenticAMD", 0x17, {0x30, 0x31, 0x71, 0xFF}, "Zen 2", 0},
      {"AuthenticAMD", 0x19, {0x00, 0x01, 0x0F, 0x20, 0x21, 0x5F}, "Zen 3", 0},
      {"AuthenticAMD", 0x19, {0x10, 0x11, 0x1F, 0x60, 0x61, 0x7F, 0xA0, 0xAF}, "Zen 4", 0x2008},
      {"AuthenticAMD", 0x1A, {0x00, 0x02, 0x44, 0xFF}, "Zen 5", 0x2008},
  };

  for (const processor& each : published) {
    for (const int model : each.models) {
      const auto* const found = find_cpu(each.vendor, each.family, model);
      ASSERT_NE(found, nullptr) << each.name << ' ' << model;
      EXPECT_EQ(found->name, std::string(each.name)) << model;
      EXPECT_EQ(found->codes[3], each.code_of_512_bits) << each.name;
    }
  }
  for (const int model : {0x3C, 0x57, 0x97, 0x9A, 0xB7}) {  // others of Intel, and hybrid ones
    EXPECT_EQ(find_cpu("GenuineIntel", 6, model), nullptr) << model;
  }
  EXPECT_EQ(find_cpu("AuthenticAMD", 0x19, 0x80), nullptr);
  EXPECT_EQ(find_cpu("AuthenticAMD", 0x19, 0x9F), nullptr);
  EXPECT_EQ(find_cpu("AuthenticAMD", 0x18, 0x01), nullptr);
}

TEST(CpuEvents, wide_vectors_are_where_the_manuals_say) {
  EXPECT_EQ(find_cpu("GenuineIntel", 6, 0x55)->codes[3], 0xC0C7);
  EXPECT_EQ(find_cpu("GenuineIntel", 6, 0x9E)->codes[3], 0);
  EXPECT_EQ(find_cpu("AuthenticAMD", 0x19, 0x61)->codes[3], 0x2008);
  EXPECT_EQ(find_cpu("AuthenticAMD", 0x19, 0x21)->codes[3], 0);
  EXPECT_EQ(find_cpu("GenuineIntel", 6, 0x3C), nullptr);
}

}  // namespace machine_facts_test
