// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Available memory under cgroups of both versions, and this process's own.
#include "lab/harness/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/harness/keep.hpp"

namespace weft::lab {
namespace memory_test {

constexpr std::size_t mib = std::size_t{1} << 20;

class Memory : public ::testing::Test {
 protected:
  Memory() { plant("proc/meminfo", "MemTotal: 2097152 kB\nMemAvailable:    1048576 kB\n"); }
  ~Memory() override { std::filesystem::remove_all(root_); }

  void plant(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  std::filesystem::path root_ =
      std::filesystem::temp_directory_path() / ("weft_memory_test_" + std::to_string(getpid()));
};

TEST_F(Memory, without_groups_the_machine_decides) {
  EXPECT_EQ(available_memory_bytes(root_), 1024 * mib);
}

TEST_F(Memory, the_tightest_group_on_the_way_up_decides_in_version_2) {
  plant("proc/self/cgroup", "0::/outer/inner\n");
  plant("sys/fs/cgroup/outer/memory.max", "104857600\n");
  plant("sys/fs/cgroup/outer/memory.current", "4194304\n");
  plant("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  plant("sys/fs/cgroup/outer/inner/memory.current", "4194304\n");

  EXPECT_EQ(available_memory_bytes(root_), 96 * mib);
}

TEST_F(Memory, version_1_limits_count_as_well) {
  plant("proc/self/cgroup", "5:devices:/x\n4:cpu,memory:/box\n0::/\n");
  plant("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "52428800\n");
  plant("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "10485760\n");

  EXPECT_EQ(available_memory_bytes(root_), 40 * mib);
}

TEST_F(Memory, cached_files_nobody_reads_are_no_reason_to_skip) {
  plant("proc/self/cgroup", "4:memory:/box\n0::/g\n");
  plant("sys/fs/cgroup/g/memory.max", "104857600\n");
  plant("sys/fs/cgroup/g/memory.current", "104857600\n");
  plant("sys/fs/cgroup/g/memory.stat", "anon 1048576\ninactive_file 83886080\nactive_file 1\n");
  plant("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "104857600\n");
  plant("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "104857600\n");
  plant("sys/fs/cgroup/memory/box/memory.stat", "inactive_file 1\ntotal_inactive_file 94371840\n");

  EXPECT_EQ(available_memory_bytes(root_), 80 * mib);
}

TEST_F(Memory, a_group_over_its_limit_has_nothing_left) {
  plant("proc/self/cgroup", "0::/g\n");
  plant("sys/fs/cgroup/g/memory.max", "1000\n");
  plant("sys/fs/cgroup/g/memory.current", "2000\n");

  EXPECT_EQ(available_memory_bytes(root_), 0U);
}

TEST_F(Memory, an_unreadable_machine_is_unknown) {
  EXPECT_EQ(available_memory_bytes(root_ / "nowhere"), std::nullopt);
}

TEST(Resident, the_peak_remembers_what_was_freed_until_it_is_reset) {
  if (!reset_peak_resident()) {
    GTEST_SKIP() << "this kernel does not reset the peak";
  }
  const std::size_t before = peak_resident_bytes().value();
  // Straight from the kernel, because an allocator may keep what is freed.
  void* large = mmap(nullptr, 64 * mib, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(large, MAP_FAILED);
  std::memset(large, 1, 64 * mib);
  keep(large);
  EXPECT_GE(resident_bytes().value(), 60 * mib);
  munmap(large, 64 * mib);
  EXPECT_GE(peak_resident_bytes().value(), before + 60 * mib);

  reset_peak_resident();

  EXPECT_LT(peak_resident_bytes().value(), before + 30 * mib);
}

TEST(Resident, what_was_freed_is_given_back) {
#if !defined(__GLIBC__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "another allocator than the C library's";
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "another allocator than the C library's";
#endif
#endif
  constexpr std::size_t num_blocks = 16384;
  constexpr std::size_t block_bytes = 4096;
  std::vector<std::unique_ptr<char[]>> blocks(num_blocks);
  for (auto& block : blocks) {
    block = std::make_unique<char[]>(block_bytes);  // as zeros: they are resident
    keep(block.get());
  }
  // The last one stays: behind it the allocator gives nothing back by itself.
  std::fill(blocks.begin(), blocks.end() - 1, nullptr);
  const std::size_t kept = resident_bytes().value();

  give_back_freed_memory();

  EXPECT_LT(resident_bytes().value() + num_blocks * block_bytes / 2, kept);
}

}  // namespace memory_test
}  // namespace weft::lab
