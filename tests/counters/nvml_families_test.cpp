// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about counters of GPUs, with a fake NVML.
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/shared_library.hpp"
#include "counters/families/builtin.hpp"
#include "counters/families/nvml.hpp"
#include "tests/counters/fake_nvml.hpp"
#include "tests/counters/planted_families.hpp"
#include "tests/support/paths.hpp"

namespace nvml_families_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using weft::counters::counter_family;
using weft::counters::parse_counter_name;
using weft::counters::registration;
using weft::counters::registry;
using weft::counters::detail::nvml_families;
using weft::counters::detail::shared_library;
using weft::counters::test::number_of;
using weft::counters::test::planted_families;
using weft::counters::test::read;
using weft::counters::test::reset;

constexpr int not_supported = 3;
constexpr int version_mismatch = 18;

/// A GPU with a different value of each kind.
constexpr weft::test::fake_gpu busy_gpu{.gpu_percent = 87,
                                        .memory_percent = 41,
                                        .memory_used_bytes = 5'000'000'000,
                                        .memory_reserved_bytes = 600'000'000,
                                        .memory_total_bytes = 150'000'000'000,
                                        .energy_mj = 9'876'543'210,
                                        .power_mw = 512'250,
                                        .sm_clock_mhz = 1980,
                                        .memory_clock_mhz = 3201,
                                        .temperature_c = 63,
                                        .throttle_bits = 0x24,
                                        .energy_error = 0,
                                        .memory_v2_error = 0};

/// The second GPU is idle and does not meter its energy.
class NvmlFamilies : public testing::Test {
 protected:
  explicit NvmlFamilies(const char* library = WEFT_FAKE_NVML)
      : path_(weft::test::beside_this_program(library)), fake_(state_of(path_)) {
    fake_.init_error = 0;
    fake_.num_devices = 2;
    fake_.gpus = {busy_gpu, {.temperature_c = 30, .energy_error = not_supported}};
  }

  [[nodiscard]] planted_families families() const { return planted_families{nvml_families(path_)}; }
  [[nodiscard]] double value_of(const std::string& counter, unsigned device = 0) const {
    return number_of(read(*families().make(name(counter, device))));
  }
  [[nodiscard]] std::string reason_of(const std::string& counter, unsigned device = 0) const {
    return read(*families().make(name(counter, device))).reason;
  }
  static std::string name(const std::string& counter, unsigned device) {
    return "/cuda{locality#0/device#" + std::to_string(device) + "}/" + counter;
  }

  std::string path_;
  weft::test::fake_nvml& fake_;

 private:
  static weft::test::fake_nvml& state_of(const std::string& path) {
    shared_library library({path});
    weft::test::fake_nvml* (*state)() = nullptr;
    library.find(weft::test::fake_nvml_state, state);
    if (state == nullptr) {
      throw std::runtime_error(library.problem());
    }
    return *state();
  }
};

TEST_F(NvmlFamilies, each_counter_reads_its_value_in_its_unit) {
  EXPECT_EQ(value_of("utilization/gpu"), 87);
  EXPECT_EQ(value_of("utilization/memory"), 41);
  EXPECT_EQ(value_of("memory/used"), 5e9);
  EXPECT_EQ(value_of("memory/total"), 150e9);
  EXPECT_EQ(value_of("power"), 512.25);
  EXPECT_EQ(value_of("clock/sm"), 1980);
  EXPECT_EQ(value_of("clock/memory"), 3201);
  EXPECT_EQ(value_of("temperature"), 63);
  EXPECT_EQ(value_of("throttle-reasons"), 0x24);

  const planted_families all = families();
  const auto unit_of = [&](const std::string& type) { return all.family_of(type).type.unit; };
  EXPECT_EQ(unit_of("/cuda/utilization/gpu"), "%");
  EXPECT_EQ(unit_of("/cuda/utilization/memory"), "%");
  EXPECT_EQ(unit_of("/cuda/memory/used"), "bytes");
  EXPECT_EQ(unit_of("/cuda/memory/total"), "bytes");
  EXPECT_EQ(unit_of("/cuda/energy/total"), "J");
  EXPECT_EQ(unit_of("/cuda/power"), "W");
  EXPECT_EQ(unit_of("/cuda/clock/sm"), "MHz");
  EXPECT_EQ(unit_of("/cuda/clock/memory"), "MHz");
  EXPECT_EQ(unit_of("/cuda/temperature"), "C");
  EXPECT_EQ(unit_of("/cuda/throttle-reasons"), "");
}

TEST_F(NvmlFamilies, each_device_has_its_values) {
  EXPECT_EQ(value_of("temperature", 0), 63);
  EXPECT_EQ(value_of("temperature", 1), 30);
  EXPECT_EQ(value_of("utilization/gpu", 1), 0) << "an idle GPU's 0 is a value";
}

TEST_F(NvmlFamilies, wildcards_mean_all_devices) {
  registry all;
  std::vector<registration> kept;
  weft::counters::detail::add_families(all, kept, nvml_families(path_));
  const auto discover = [&](const std::string& pattern) {
    std::vector<std::string> names;
    for (const auto& each : all.discover(parse_counter_name(pattern))) {
      names.push_back(to_string(each));
    }
    return names;
  };

  const auto both_powers =
      ElementsAre("/cuda{locality#0/device#0}/power", "/cuda{locality#0/device#1}/power");
  EXPECT_THAT(discover("/cuda{locality#0/device#*}/power"), both_powers);
  EXPECT_THAT(discover("/cuda/power"), both_powers);
  EXPECT_THAT(discover("/cuda{locality#0/device#1}/*"), SizeIs(10));
  EXPECT_THAT(discover("/cuda*"), SizeIs(20));
  EXPECT_THAT([&] { discover("/cuda{locality#0/device#2}/power"); },
              testing::ThrowsMessage<weft::error>(HasSubstr("no instance {locality#0/device#2}")));
  EXPECT_EQ(number_of(read(*all.make(parse_counter_name(name("power", 0))))), 512.25);
}

TEST_F(NvmlFamilies, energy_counts_from_the_making_or_the_last_reset) {
  const planted_families all = families();
  const auto first = all.make(name("energy/total", 0));
  const auto second = all.make(name("energy/total", 0));

  fake_.gpus[0].energy_mj += 1'500;
  EXPECT_DOUBLE_EQ(number_of(read(*first)), 1.5);
  reset(*first);
  fake_.gpus[0].energy_mj += 250;

  EXPECT_DOUBLE_EQ(number_of(read(*first)), 0.25);
  EXPECT_DOUBLE_EQ(number_of(read(*second)), 1.75);
}

TEST_F(NvmlFamilies, energy_excludes_pauses) {
  const auto energy = families().make(name("energy/total", 0));
  weft::counters::evaluation now;

  fake_.gpus[0].energy_mj += 1'000;
  ASSERT_TRUE(energy->pause(now));
  fake_.gpus[0].energy_mj += 8'000;
  energy->resume(now);
  fake_.gpus[0].energy_mj += 2'000;

  EXPECT_DOUBLE_EQ(number_of(read(*energy)), 3);
}

TEST_F(NvmlFamilies, energy_of_a_restarted_driver_is_not_negative) {
  const auto energy = families().make(name("energy/total", 0));

  fake_.gpus[0].energy_mj = 5;

  EXPECT_THAT(read(*energy).reason, HasSubstr("began anew"));
}

TEST_F(NvmlFamilies, a_device_without_a_meter_is_unavailable_with_the_drivers_reason) {
  EXPECT_EQ(reason_of("energy/total", 1),
            "the NVIDIA driver has no value: Not Supported (NVML's error 3)");
  EXPECT_EQ(reason_of("power", 1), "");
}

TEST_F(NvmlFamilies, a_reading_that_fails_later_is_unavailable_until_it_succeeds) {
  const auto energy = families().make(name("energy/total", 0));

  fake_.gpus[0].energy_error = 15;
  EXPECT_THAT(read(*energy).reason, HasSubstr("error 15"));

  fake_.gpus[0].energy_error = 0;
  fake_.gpus[0].energy_mj += 1'000;
  EXPECT_DOUBLE_EQ(number_of(read(*energy)), 1);
}

TEST_F(NvmlFamilies, a_library_that_does_not_start_gives_its_reason) {
  fake_.init_error = version_mismatch;

  EXPECT_THAT(families().instances("/cuda/power"), ElementsAre("/cuda{locality#0/device#0}/power"));
  EXPECT_EQ(reason_of("power"),
            "NVML does not start: Driver/library version mismatch (NVML's error 18)");
  EXPECT_EQ(reason_of("energy/total"), reason_of("power"));
}

TEST_F(NvmlFamilies, a_machine_without_gpus_says_so) {
  fake_.num_devices = 0;

  EXPECT_THAT(families().instances("/cuda/power"), ElementsAre("/cuda{locality#0/device#0}/power"));
  EXPECT_EQ(reason_of("power"), "the NVIDIA driver finds no GPU");
}

TEST_F(NvmlFamilies, without_a_driver_each_counter_is_listed_with_the_reason) {
  const planted_families absent{nvml_families("libweft-absent-nvml.so.1")};

  EXPECT_THAT(absent.all(), SizeIs(10));
  for (const counter_family& each : absent.all()) {
    const auto names = each.instances();
    ASSERT_THAT(names, SizeIs(1));
    EXPECT_THAT(
        read(*each.make(names.front())).reason,
        AllOf(HasSubstr("no NVIDIA driver (libweft-absent-nvml.so.1: "), HasSubstr("No such file")))
        << to_string(names.front());
  }
}

TEST_F(NvmlFamilies, the_library_starts_once_and_when_a_counter_of_it_is_first_used) {
  registry all;
  std::vector<registration> kept;
  const int before = fake_.num_inits;

  // libnvidia-ml.so.1 is this fake's name, which the process has loaded.
  weft::counters::detail::add_builtin_families(all, kept);
  static_cast<void>(all.types());
  static_cast<void>(all.discover(parse_counter_name("/runtime*")));
  for (const char* const misspelt : {"/runtime/uptyme", "/runtime{locality#7/total}/uptime"}) {
    EXPECT_THROW(static_cast<void>(all.discover(parse_counter_name(misspelt))), weft::error);
  }
  EXPECT_EQ(fake_.num_inits, before);

  constexpr int num_readers = 4;
  std::vector<std::thread> readers;
  readers.reserve(num_readers);
  for (int i = 0; i < num_readers; ++i) {
    readers.emplace_back([&] {
      EXPECT_EQ(number_of(read(*all.make(parse_counter_name(name("clock/sm", 0))))), 1980);
    });
  }
  for (std::thread& each : readers) {
    each.join();
  }
  EXPECT_EQ(fake_.num_inits, before + 1);
}

TEST_F(NvmlFamilies, memory_is_read_in_the_older_way_if_the_newer_one_fails) {
  fake_.gpus[0].memory_v2_error = not_supported;

  EXPECT_EQ(value_of("memory/total"), 150e9);
  EXPECT_EQ(value_of("memory/used"), 5.6e9) << "what the driver reserves is in it";
}

TEST_F(NvmlFamilies, a_reading_is_one_call) {
  const auto power = families().make(name("power", 0));
  const int before = fake_.num_readings;

  read(*power);

  EXPECT_EQ(fake_.num_readings, before + 1);
}

TEST_F(NvmlFamilies, parameters_are_refused) {
  EXPECT_THROW(static_cast<void>(families().make(name("power", 0) + "@5")), weft::error);
}

/// With a driver whose functions have no newer forms.
class OldNvmlFamilies : public NvmlFamilies {
 protected:
  OldNvmlFamilies() : NvmlFamilies(WEFT_FAKE_OLD_NVML) {}
};

TEST_F(OldNvmlFamilies, older_forms_of_functions_are_used) {
  EXPECT_EQ(value_of("memory/total"), 150e9);
  EXPECT_EQ(value_of("memory/used"), 5.6e9) << "what the driver reserves is in it";
  EXPECT_EQ(value_of("throttle-reasons"), 0x24);
  EXPECT_EQ(value_of("temperature", 1), 30);
}

TEST_F(OldNvmlFamilies, a_function_that_the_library_lacks_is_unavailable) {
  EXPECT_EQ(reason_of("energy/total"),
            "the NVIDIA driver has no value: Function Not Found (NVML's error 13)");
}

}  // namespace nvml_families_test
