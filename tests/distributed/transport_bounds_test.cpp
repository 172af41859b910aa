// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that come from other ranks, or from MPI, are checked before they are used.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // setenv is POSIX's

#include "weft/distributed/archive_error.hpp"
#include "weft/distributed/archive_part.hpp"
#include "weft/distributed/detail/message.hpp"

#include "distributed/transport/frames.hpp"
#include "distributed/transport/launcher.hpp"
#include "distributed/transport/memory_transport.hpp"
#include "distributed/transport/mpi_slabs.hpp"

namespace transport_detail = weft::distributed::detail;
using testing::HasSubstr;

namespace {

/// Sets or unsets a variable until the end of the scope.
class with_variable {
 public:
  with_variable(const char* name, const char* value) : name_(name) {
    if (const char* const former = std::getenv(name)) {
      former_ = former;
      had_one_ = true;
    }
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  with_variable(const with_variable&) = delete;
  with_variable& operator=(const with_variable&) = delete;
  ~with_variable() { had_one_ ? setenv(name_, former_.c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::string former_;
  bool had_one_ = false;
};

}  // namespace

TEST(TransportBounds, tags_use_all_bits_that_mpi_grants) {
  EXPECT_EQ(transport_detail::tag_mask_for(std::numeric_limits<int>::max()), 0x7fffffffU);
  EXPECT_EQ(transport_detail::tag_mask_for((1 << 28) - 1), (1U << 28) - 1);
  EXPECT_EQ(transport_detail::tag_mask_for((1 << 22) + 5), (1U << 22) - 1);
  EXPECT_EQ(transport_detail::tag_mask_for(0), 0x7fffU);
}

TEST(TransportBounds, a_rank_takes_no_more_than_was_sent) {
  EXPECT_TRUE(transport_detail::is_possible_count(5, 5, 5));
  EXPECT_TRUE(transport_detail::is_possible_count(9, 5, 10));
  EXPECT_FALSE(transport_detail::is_possible_count(11, 5, 10));
  EXPECT_FALSE(transport_detail::is_possible_count(4, 5, 10));
  EXPECT_TRUE(transport_detail::is_possible_count(3, 0xfffffff0, 20)) << "counts wrap around";
  EXPECT_FALSE(transport_detail::is_possible_count(21, 0xfffffff0, 20));
}

TEST(TransportBounds, frames_have_the_size_of_frames) {
  EXPECT_TRUE(transport_detail::is_possible_frame(32));
  EXPECT_TRUE(transport_detail::is_possible_frame(100'000));
  EXPECT_FALSE(transport_detail::is_possible_frame(0));
  EXPECT_FALSE(transport_detail::is_possible_frame(24));
  EXPECT_FALSE(transport_detail::is_possible_frame(33));
  EXPECT_FALSE(transport_detail::is_possible_frame(std::uint64_t{1} << 33));
  EXPECT_FALSE(transport_detail::is_possible_frame(std::numeric_limits<std::uint64_t>::max()));
}

TEST(TransportBounds, frames_are_checked_before_they_are_used) {
  const std::vector<std::byte> text(5);
  const std::vector<weft::distributed::part> parts = {{.data = text.data(), .size = 5}};
  std::vector<std::byte> bytes;
  transport_detail::append_frame(
      bytes, {.header = {}, .bytes = text, .parts = parts, .owner = nullptr}, 0);
  const auto problem_with = [&](auto damage) {
    std::vector<std::byte> all = bytes;
    transport_detail::frame_header header;
    std::memcpy(&header, all.data(), sizeof header);
    damage(all, header);
    std::memcpy(all.data(), &header, std::min(all.size(), sizeof header));
    try {
      static_cast<void>(transport_detail::frame_reader(0, all).next());
    } catch (const weft::distributed::archive_error& found) {
      return std::string(found.what());
    }
    return std::string();
  };

  EXPECT_EQ(problem_with([](auto& /*all*/, auto& /*header*/) {}), "");
  EXPECT_THAT(problem_with([](auto& all, auto& /*header*/) { all.resize(31); }),
              HasSubstr("the header of a message"));
  EXPECT_THAT(problem_with([](auto& all, auto& /*header*/) { all.resize(all.size() - 8); }),
              HasSubstr("a message as large as its header says"));
  EXPECT_THAT(problem_with([](auto& /*all*/, auto& header) { header.size_bytes = 1U << 31; }),
              HasSubstr("a message as large as its header says"));
  EXPECT_THAT(problem_with([](auto& /*all*/, auto& header) { header.num_parts = 2; }),
              HasSubstr("a message as large as its header says"));
  EXPECT_THAT(problem_with([](auto& /*all*/, auto& header) {
                header.kind = static_cast<transport_detail::frame_kind>(5);
              }),
              HasSubstr("a message of a known kind"));
}

TEST(TransportBounds, what_is_queued_includes_large_parts) {
  const auto world = std::make_shared<transport_detail::memory_world>(
      transport_detail::memory_world_options{.size = 2});
  transport_detail::memory_transport link(world, 0);
  const auto data = std::make_shared<std::vector<std::byte>>(1'000'000);
  const weft::distributed::part whole{.data = data->data(), .size = data->size()};

  const std::size_t queued =
      link.send(1, {.header = {}, .bytes = {}, .parts = {&whole, 1}, .owner = data});

  EXPECT_GE(queued, data->size());
  EXPECT_LT(queued, data->size() + 1000);
  EXPECT_TRUE(world->take(1).has_value());
  EXPECT_EQ(link.queued_bytes(1), 0U);
}

TEST(TransportBounds, a_batch_script_of_slurm_is_no_step_of_several_processes) {
  const with_variable open_mpi("OMPI_COMM_WORLD_SIZE", nullptr);
  const with_variable pmi_size("PMI_SIZE", nullptr);
  const with_variable pmi_rank("PMI_RANK", nullptr);
  const with_variable pmix("PMIX_RANK", nullptr);
  const with_variable rank("SLURM_PROCID", "0");
  {
    const with_variable step("SLURM_STEP_NUM_TASKS", nullptr);
    EXPECT_EQ(transport_detail::launcher_variable(), nullptr);
  }
  {
    const with_variable step("SLURM_STEP_NUM_TASKS", "1");
    EXPECT_EQ(transport_detail::launcher_variable(), nullptr);
  }
  const with_variable step("SLURM_STEP_NUM_TASKS", "4");
  EXPECT_NE(transport_detail::launcher_variable(), nullptr);
}
