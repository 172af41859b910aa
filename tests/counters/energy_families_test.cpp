// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about energy counters on planted machines.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/counters/counter.hpp"

#include "counters/families/energy.hpp"
#include "tests/counters/planted_families.hpp"
#include "tests/support/fake_root.hpp"

namespace energy_families_test {

using testing::ElementsAre;
using testing::HasSubstr;
using weft::counters::evaluation;
using weft::counters::detail::energy_families;
using weft::counters::test::number_of;
using weft::counters::test::planted_families;
using weft::counters::test::read;
using weft::counters::test::reset;

class EnergyFamilies : public testing::Test {
 protected:
  void plant(const std::string& zone, const std::string& name, std::int64_t energy_uj) {
    const std::filesystem::path folder = "sys/class/powercap/" + zone;
    root_.write(folder / "name", name)
        .write(folder / "max_energy_range_uj", "1000000000")
        .write(folder / "energy_uj", std::to_string(energy_uj));
  }
  weft::test::fake_root root_;
  planted_families families_{energy_families(root_.path())};
};

TEST_F(EnergyFamilies, the_total_sums_packages_and_not_their_parts) {
  plant("intel-rapl:0", "package-0", 0);
  plant("intel-rapl:0:0", "dram", 0);
  plant("intel-rapl:1", "package-1", 0);
  plant("intel-rapl-mmio:0", "package-0", 0);  // the same once more
  const auto total = families_.make("/energy/package");
  const auto second = families_.make("/energy{locality#0/package#1}/package");
  const auto dram = families_.make("/energy{locality#0/package#0}/dram");

  plant("intel-rapl:0", "package-0", 3'000'000);
  plant("intel-rapl:0:0", "dram", 500'000);
  plant("intel-rapl:1", "package-1", 4'000'000);
  plant("intel-rapl-mmio:0", "package-0", 3'000'000);

  EXPECT_DOUBLE_EQ(number_of(read(*total)), 7);
  EXPECT_DOUBLE_EQ(number_of(read(*second)), 4);
  EXPECT_DOUBLE_EQ(number_of(read(*dram)), 0.5);
  EXPECT_THAT(families_.instances("/energy/package"),
              ElementsAre("/energy{locality#0/total}/package",
                          "/energy{locality#0/package#0}/package",
                          "/energy{locality#0/package#1}/package"));
}

TEST_F(EnergyFamilies, meters_that_begin_anew_go_on_counting) {
  plant("intel-rapl:0", "package-0", 999'000'000);
  const auto energy = families_.make("/energy/package");
  reset(*energy);

  plant("intel-rapl:0", "package-0", 1'000'000);
  EXPECT_DOUBLE_EQ(number_of(read(*energy)), 2);
  plant("intel-rapl:0", "package-0", 500'000'000);
  EXPECT_DOUBLE_EQ(number_of(read(*energy)), 501);
}

TEST_F(EnergyFamilies, sampling_sees_rounds_that_no_evaluation_sees) {
  plant("intel-rapl:0", "package-0", 0);
  const auto energy = families_.make("/energy/package");
  reset(*energy);

  for (const std::int64_t energy_uj : {600'000'000, 100'000'000, 700'000'000, 200'000'000}) {
    plant("intel-rapl:0", "package-0", energy_uj);
    evaluation now;
    energy->sample(now);
  }

  EXPECT_DOUBLE_EQ(number_of(read(*energy)), 2200);
  EXPECT_EQ(energy->sampling_interval(), std::chrono::milliseconds(500));  // 1 kJ at 1 kW, halved
}

TEST_F(EnergyFamilies, resets_of_one_do_not_show_in_another) {
  plant("intel-rapl:0", "package-0", 0);
  const auto first = families_.make("/energy/package");
  const auto second = families_.make("/energy/package");

  plant("intel-rapl:0", "package-0", 1'000'000);
  reset(*first);
  plant("intel-rapl:0", "package-0", 3'000'000);

  EXPECT_DOUBLE_EQ(number_of(read(*first)), 2);
  EXPECT_DOUBLE_EQ(number_of(read(*second)), 3);
}

TEST_F(EnergyFamilies, power_is_energy_over_time) {
  plant("intel-rapl:0", "package-0", 0);
  const auto power = families_.make("/runtime/average_power");
  evaluation begin;
  power->reset(begin);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  plant("intel-rapl:0", "package-0", 5'000'000);

  evaluation end;
  const double elapsed_s = std::chrono::duration<double>(end.time() - begin.time()).count();

  EXPECT_DOUBLE_EQ(number_of(power->evaluate(end)), 5 / elapsed_s);
}

TEST_F(EnergyFamilies, without_powercap_the_total_is_listed_with_the_reason) {
  EXPECT_THAT(families_.instances("/energy/package"),
              ElementsAre("/energy{locality#0/total}/package"));
  EXPECT_THAT(read(*families_.make("/energy/package")).reason,
              HasSubstr("no energy meters here: /sys/class/powercap is missing"));
  EXPECT_FALSE(read(*families_.make("/runtime/average_power")).value.has_value());
}

TEST_F(EnergyFamilies, a_meter_that_only_root_may_read_says_what_to_type) {
  plant("intel-rapl:0", "package-0", 0);
  std::filesystem::remove(root_.path() / "sys/class/powercap/intel-rapl:0/energy_uj");

  EXPECT_THAT(read(*families_.make("/energy/package")).reason, HasSubstr("chmod a+r"));
}

TEST_F(EnergyFamilies, packages_without_a_meter_of_the_kind_are_unavailable) {
  plant("intel-rapl:0", "package-0", 0);

  EXPECT_THAT(read(*families_.make("/energy{locality#0/package#0}/psys")).reason,
              HasSubstr("no meter of this kind"));
}

}  // namespace energy_families_test
