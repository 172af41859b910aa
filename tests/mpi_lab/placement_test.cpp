// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where ranks are, on planted machines: cores with hardware threads, caches, sockets.
#include "lab/mpi/placement.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace placement_test {

using weft::lab::mpi::pair_class;
using weft::lab::mpi::place;
using weft::lab::mpi::place_of;
using weft::lab::mpi::share_a_cpu;

/// Two sockets of two cores of two hardware threads, CPU n and n + 4 those of one core; a second
/// level cache for each core and a third for each socket.
class Placement : public testing::Test {
 protected:
  Placement()
      : cpus_(std::filesystem::path(testing::TempDir()) /
              ("placement." + std::to_string(getpid()))) {
    for (int cpu = 0; cpu < 8; ++cpu) {
      const int core = cpu % 4;
      const int socket = core / 2;
      const std::string siblings = std::to_string(core) + "," + std::to_string(core + 4);
      const std::string of_socket = std::to_string(2 * socket) + "-" +
                                    std::to_string(2 * socket + 1) + "," +
                                    std::to_string(2 * socket + 4);
      const std::filesystem::path folder = cpus_ / ("cpu" + std::to_string(cpu));
      write(folder / "topology" / "thread_siblings_list", siblings);
      write(folder / "topology" / "physical_package_id", std::to_string(socket));
      write(folder / "node0" / "numastat", "");
      cache(folder / "cache" / "index0", "1", "Data", siblings, "32K");
      cache(folder / "cache" / "index1", "2", "Unified", siblings, "1024K");
      cache(folder / "cache" / "index2", "3", "Unified", of_socket, "19712K");
    }
  }
  ~Placement() override { std::filesystem::remove_all(cpus_); }

  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  [[nodiscard]] place on(std::vector<int> cpus) const { return place_of(std::move(cpus), cpus_); }
  [[nodiscard]] std::string between(int first, int second) const {
    return pair_class(on({first}), on({second}));
  }

 private:
  static void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
  }
  static void cache(const std::filesystem::path& folder,
                    const std::string& level,
                    const std::string& type,
                    const std::string& cpus,
                    const std::string& size) {
    write(folder / "level", level);
    write(folder / "type", type);
    write(folder / "shared_cpu_list", cpus);
    write(folder / "size", size);
  }

  std::filesystem::path cpus_;
};

TEST_F(Placement, a_pair_is_of_the_closest_thing_that_both_share) {
  EXPECT_EQ(between(0, 4), "core");
  EXPECT_EQ(between(0, 1), "l3");
  EXPECT_EQ(between(0, 2), "numa");
  place far = on({2});
  far.numa = 1;
  EXPECT_EQ(pair_class(on({0}), far), "machine");
  far.package = 0;
  EXPECT_EQ(pair_class(on({0}), far), "package");
  far.host = "elsewhere";
  EXPECT_EQ(pair_class(on({0}), far), "hosts");
}

TEST_F(Placement, a_rank_that_may_run_on_both_threads_of_a_core_is_bound_to_it) {
  EXPECT_TRUE(on({1, 5}).is_bound);
  EXPECT_EQ(on({1, 5}).core, 1);
  EXPECT_EQ(pair_class(on({1, 5}), on({0, 4})), "l3");
  EXPECT_FALSE(on({0, 1}).is_bound);
  EXPECT_EQ(pair_class(on({0, 1}), on({2})), "unbound");
}

TEST_F(Placement, caches_are_those_of_the_cpu) {
  EXPECT_EQ(on({3}).cache_bytes[0], 32 << 10);
  EXPECT_EQ(on({3}).cache_bytes[1], 1 << 20);
  EXPECT_EQ(on({3}).cache_bytes[3], -1) << "a cache that there is not";
  EXPECT_EQ(on({9}).core, -1) << "a CPU that the kernel does not describe";
}

TEST_F(Placement, ranks_take_turns_only_where_one_has_no_cpu_for_itself) {
  EXPECT_FALSE(share_a_cpu({on({0}), on({4})})) << "hardware threads of one core are two";
  EXPECT_FALSE(share_a_cpu({on({0, 4}), on({0, 4})}));
  EXPECT_TRUE(share_a_cpu({on({0, 4}), on({0, 4}), on({4})}));
  EXPECT_TRUE(share_a_cpu({on({0}), on({0})}));
  place far = on({0});
  far.host = "elsewhere";
  EXPECT_FALSE(share_a_cpu({on({0}), far}));
}

}  // namespace placement_test
