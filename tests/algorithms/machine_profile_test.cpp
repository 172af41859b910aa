// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What algorithms and the runtime do by the machine profile of their process.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>  // setenv
#include <unistd.h>

#include "weft/algorithms/detail/loops/chunks.hpp"
#include "weft/algorithms/detail/memory/streaming.hpp"
#include "weft/algorithms/detail/sharing/cost_record.hpp"
#include "weft/algorithms/detail/sharing/prologue.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/base/profile.hpp"
#include "weft/tasks/detail/counters/task_clock.hpp"

#include "tasks/counters/calibration.hpp"

namespace machine_profile_test {

using weft::algorithms::detail::beginning;
using weft::algorithms::detail::stream_kind;
using weft::algorithms::detail::stream_trial;
using weft::algorithms::detail::trial_of;

/// 64 workers, to be asked for their number.
struct many_workers {
  [[nodiscard]] static std::size_t num_workers() noexcept { return 64; }
  template <class F>
  void execute(F f) const {
    f();
  }
};

/// Writes the profile before anything in this process reads one.
class MachineProfile : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const weft::base::profile_origin here = weft::base::this_origin();
    const std::string file =
        testing::TempDir() + "weft_profile_" + std::to_string(::getpid()) + ".toml";
    std::ofstream(file) << "format = 1\n[origin]\nprocessor = \"" << here.processor
                        << "\"\ncpus = \"" << here.cpus << "\"\nweft = \"" << here.weft
                        << "\"\n[stores]\nfill = \"plain\"\ncopy = \"streamed\"\n"
                           "stream_from_bytes = 5000000\n"
                           "[workers]\nwake_us = 2\n"
                           "[memory]\nworkers = 3\nworker_gb_per_s = 10\n"
                           "cache_bytes = 1048576\n"
                           "[timing]\nbuild = \""
                        << here.build
                        << "\"\ncalled_ticks = 11\nlooped_ticks = 12\n"
                           "grouped_ticks = 13\ncost_ticks = 14\n";
    ASSERT_EQ(::setenv("WEFT_PROFILE", file.c_str(), 1), 0);
    ASSERT_EQ(weft::base::profile().wake_us, 2);
    std::filesystem::remove(file);
  }

  /// The workers that share a loop which reads 8 bytes per element and takes `ns` for each alone.
  template <class Policy>
  static std::size_t shares_for(const Policy& policy,
                                float ns,
                                std::size_t n = std::size_t{1} << 40) {
    return weft::algorithms::detail::plan_chunks(policy,
                                                 {.n = n, .bytes_per_element = 8},
                                                 {.done = 1, .ns_per_element = ns, .alone_ns = ns})
        .max_shares;
  }
};

TEST_F(MachineProfile, ends_the_trials_of_stores_that_it_names) {
  EXPECT_EQ(trial_of(stream_kind::fill).verdict(), stream_trial::choice::plain);
  EXPECT_EQ(trial_of(stream_kind::copy).verdict(), stream_trial::choice::streamed);
  EXPECT_EQ(trial_of(stream_kind::map).verdict(), stream_trial::choice::open);
#if defined(__SSE2__)
  EXPECT_EQ(weft::algorithms::detail::stream_threshold_bytes(), 5'000'000U);
#endif
}

TEST_F(MachineProfile, gives_loops_that_wait_for_memory_few_workers) {
  const auto all = weft::par.on(many_workers());

  EXPECT_EQ(shares_for(all, 0.8F), 3U) << "10 GB/s each: three are as fast as all";
  EXPECT_EQ(shares_for(all, 0.1F), 3U) << "no worker reads faster than one alone";
  EXPECT_EQ(shares_for(all, 4), 15U) << "2 GB/s each";
  EXPECT_EQ(shares_for(all, 100), 64U) << "they compute";
}

TEST_F(MachineProfile, leaves_small_loops_and_the_policys_own_choice_alone) {
  const auto all = weft::par.on(many_workers());

  EXPECT_EQ(shares_for(all, 8), 30U);
  EXPECT_EQ(shares_for(all, 8, std::size_t{1} << 17), 64U) << "it is in the caches";
  EXPECT_EQ(shares_for(all.with(weft::num_cores(20)), 0.8F), 20U);
  EXPECT_EQ(shares_for(all.with(weft::static_chunk_size(10)), 0.8F), 64U);
  EXPECT_EQ(shares_for(all.with(weft::dynamic_chunk_size(10)), 0.8F), 64U);
  EXPECT_EQ(shares_for(all.with(weft::guided_chunk_size(10)), 0.8F), 64U);
}

TEST_F(MachineProfile, uses_what_an_element_took_one_worker_in_a_shared_call) {
  weft::algorithms::detail::cost_record costs;
  EXPECT_EQ(costs.shared_ns_per_element(), 0);
  costs.note_shared(100, 400);

  EXPECT_EQ(costs.shared_ns_per_element(), 4);
  EXPECT_EQ(costs.ns_per_element(), 8) << "an estimate that keeps the loop shared";
}

TEST_F(MachineProfile, limits_no_loop_of_unknown_cost) {
  const auto shares_with = [](float alone_ns) {
    return weft::algorithms::detail::plan_chunks(
               weft::par.on(many_workers()),
               {.n = std::size_t{1} << 40, .bytes_per_element = 8},
               {.done = 0, .ns_per_element = 8, .alone_ns = alone_ns})
        .max_shares;
  };
  EXPECT_EQ(shares_with(0), 64U);
  EXPECT_EQ(shares_with(std::numeric_limits<float>::infinity()), 64U);
  EXPECT_EQ(shares_with(4), 15U);
}

TEST_F(MachineProfile, lets_loops_wake_workers_where_that_is_fast) {
  EXPECT_TRUE(weft::algorithms::detail::pays_to_share(false, 11'000)) << "five times 2 us";
  EXPECT_FALSE(weft::algorithms::detail::pays_to_share(false, 1'000));
}

TEST_F(MachineProfile, replaces_the_measurement_of_what_timing_adds) {
  using weft::tasks::detail::run_kind;
  auto cost = weft::tasks::detail::timing_cost_of_process();

  EXPECT_EQ(cost.added_to(run_kind::called), 11U);
  EXPECT_EQ(cost.added_to(run_kind::looped), 12U);
  EXPECT_EQ(cost.added_to(run_kind::grouped), 13U);
  EXPECT_EQ(cost.cost_ticks, 14U);
}

TEST_F(MachineProfile, changes_no_result) {
  std::vector<unsigned> values(300'000);
  std::ranges::generate(values, [next = 1U]() mutable { return next = next * 1664525U + 1U; });
  std::vector<unsigned> expected = values;
  std::ranges::sort(expected);

  weft::sort(weft::par, values.begin(), values.end());

  EXPECT_EQ(values, expected);
}

}  // namespace machine_profile_test
