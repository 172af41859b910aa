// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distributed vectors over MPI, and the CPUs of its ranks.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "weft/algorithms/policy.hpp"
#include "weft/base/topology.hpp"
#include "weft/distributed.hpp"
#include "weft/distributed/algorithms.hpp"
#include "weft/distributed/sort.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/distributed/vectors.hpp"

namespace wd = weft::distributed;

namespace mpi_vector_test {
namespace {

using weft::test::expect_elements;
using weft::test::expected_numbers;
using weft::test::numbers;

constexpr std::size_t size = 100'003;  // more than a message without parts holds

using cpu_mask = std::array<std::uint64_t, sizeof(cpu_set_t) / sizeof(std::uint64_t)>;

/// The CPUs that the calling task's worker may run on.
cpu_mask mask_here() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  cpu_mask mask{};
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    std::memcpy(mask.data(), &cpus, sizeof cpus);
  }
  return mask;
}

}  // namespace

TEST(MpiVector, any_rank_reads_any_range) {
  const wd::runtime job;
  for (const wd::distribution spread : {wd::block, wd::cyclic(7)}) {
    wd::vector<int> all = numbers({size, spread});
    wd::barrier().get();
    EXPECT_EQ(all.get_range(0, size).get(), expected_numbers({size, spread}));
    EXPECT_EQ(all.get(size - 1).get(), weft::test::value_at(size - 1));
    wd::barrier().get();
  }
}

TEST(MpiVector, elements_of_all_ranks_are_summed_and_scanned) {
  const wd::runtime job;
  const wd::vector<int> all = numbers({size, wd::cyclic(100)});
  std::vector<int> expected = expected_numbers({size, wd::block});
  EXPECT_EQ(wd::reduce(weft::par, all), std::reduce(expected.begin(), expected.end()));
  wd::vector<int> sums(size);
  wd::inclusive_scan(weft::par, all, sums);
  std::partial_sum(expected.begin(), expected.end(), expected.begin());
  expect_elements(sums, expected);
}

TEST(MpiVector, elements_are_sorted_over_all_ranks) {
  const wd::runtime job;
  wd::vector<int> all = numbers({size, wd::block});
  wd::sort(weft::par, all);
  std::vector<int> expected = expected_numbers({size, wd::block});
  std::ranges::sort(expected);
  expect_elements(all, expected);
}

TEST(MpiVector, a_vector_is_stored_and_loaded) {
  const wd::runtime job;
  const int process = wd::broadcast(getpid(), wd::locality(0)).get();
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("weft_mpi_vector." + std::to_string(process));
  if (wd::here().rank() == 0) {
    std::filesystem::create_directories(folder);
  }
  wd::barrier().get();
  for (int round = 0; round < 2; ++round) {
    numbers({size, wd::block}).save(folder / "numbers");
  }
  const auto loaded = wd::vector<int>::load(folder / "numbers", wd::cyclic(3));
  expect_elements(loaded, expected_numbers({size, wd::cyclic(3)}));
  wd::barrier().get();
  if (wd::here().rank() == 0) {
    std::filesystem::remove_all(folder);
  }
}

TEST(MpiVector, two_ranks_of_a_node_divide_its_cores) {
  const wd::runtime job;
  if (wd::num_localities() != 2 || weft::base::read_topology().cores.size() < 2) {
    return;  // ranks that outnumber the cores share them
  }
  const auto masks = wd::all_gather(weft::default_runtime().run(mask_here)).get();
  for (std::size_t i = 0; i < masks[0].size(); ++i) {
    EXPECT_EQ(masks[0][i] & masks[1][i], 0U) << "CPUs " << 64 * i << " and following";
  }
  EXPECT_NE(masks[0], cpu_mask{});
}

}  // namespace mpi_vector_test
