// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface: the same cells as through C++, and a code and a sentence for each mistake.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.h"
#include "weft/halo.hpp"

#include "halo/world.hpp"

namespace weft::halo::test {
namespace c_interface_test {

using testing::HasSubstr;

constexpr std::int64_t cells = 6;

/// Of two dimensions, the second one open.
class grid_in_c : public testing::Test {
 protected:
  void SetUp() override {
    const std::array<int, 2> free{0, 0};
    const std::array<int, 2> periodic{1, 0};
    ASSERT_EQ(
        weft_halo_grid_create(MPI_COMM_WORLD, 2, free.data(), periodic.data(), nullptr, &grid_),
        WEFT_HALO_OK)
        << weft_halo_error_message();
    ASSERT_EQ(weft_halo_grid_dims(grid_, around_.processes.data()), WEFT_HALO_OK);
    ASSERT_EQ(weft_halo_grid_coords(grid_, around_.position.data()), WEFT_HALO_OK);
    around_.periodic = {true, false};
    around_.cells_per_process = {cells, cells};
    for (std::size_t d = 0; d < 2; ++d) {
      box_[d] = weft_halo_inner(around_.inner(d), 2, 1);
    }
  }
  void TearDown() override { weft_halo_grid_free(grid_); }

  [[nodiscard]] axes<2> box() const {
    return {axis(box_[0].minus, box_[0].plus, box_[0].begin, box_[0].end, box_[0].length),
            axis(box_[1].minus, box_[1].plus, box_[1].begin, box_[1].end, box_[1].length)};
  }
  /// Exchanges twice; empty: every cell is right.
  std::string exchanged(weft_halo_exchange* halos, const field_view<double, 2>& cells_of) {
    known_field<double, 2> known(around_, cells_of, 0);
    void* const pointer = cells_of.data;
    for (int round = 0; round < 2; ++round) {
      known.fill(round);
      if (weft_halo_exchange_run(halos, 1, &pointer) != WEFT_HALO_OK) {
        return weft_halo_error_message();
      }
      if (std::string wrong = known.mismatch(); !wrong.empty()) {
        return wrong;
      }
    }
    return {};
  }

  weft_halo_grid* grid_ = nullptr;
  world<2> around_;
  std::array<weft_halo_axis, 2> box_{};
};

TEST_F(grid_in_c, fills_halos_in_both_orders_of_cells) {
  for (const int layout : {WEFT_HALO_RIGHT, WEFT_HALO_LEFT}) {
    weft_halo_exchange* halos = nullptr;
    ASSERT_EQ(
        weft_halo_exchange_create(grid_, box_.data(), layout, sizeof(double), nullptr, &halos),
        WEFT_HALO_OK)
        << weft_halo_error_message();
    std::vector<double> memory(static_cast<std::size_t>(box_[0].length * box_[1].length));
    const auto view = layout == WEFT_HALO_RIGHT ? field(memory.data(), box())
                                                : field(memory.data(), box(), layout::left<2>());

    EXPECT_EQ(exchanged(halos, view), "");
    EXPECT_EQ(weft_halo_exchange_self_test(halos, 2), WEFT_HALO_OK) << weft_halo_error_message();
    EXPECT_THAT(weft_halo_exchange_report(halos), HasSubstr("2 exchanges"));
    weft_halo_exchange_free(halos);
  }
}

TEST_F(grid_in_c, takes_strides_and_shared_memory) {
  const std::array<std::int64_t, 2> strides{100, 2};
  weft_halo_exchange* apart = nullptr;
  ASSERT_EQ(weft_halo_exchange_create_strided(
                grid_, box_.data(), strides.data(), sizeof(double), nullptr, &apart),
            WEFT_HALO_OK)
      << weft_halo_error_message();
  std::vector<double> memory(static_cast<std::size_t>(100 * box_[0].length));
  EXPECT_EQ(exchanged(apart, field(memory.data(), box(), layout::strided<2>{{100, 2}})), "");
  weft_halo_exchange_free(apart);

  weft_halo_field* shared = nullptr;
  ASSERT_EQ(weft_halo_field_create(grid_, box_.data(), WEFT_HALO_RIGHT, sizeof(double), &shared),
            WEFT_HALO_OK)
      << weft_halo_error_message();
  weft_halo_exchange* halos = nullptr;
  ASSERT_EQ(weft_halo_exchange_create(
                grid_, box_.data(), WEFT_HALO_RIGHT, sizeof(double), nullptr, &halos),
            WEFT_HALO_OK);
  EXPECT_EQ(exchanged(halos, field(static_cast<double*>(weft_halo_field_data(shared)), box())), "");
  weft_halo_exchange_free(halos);
  weft_halo_field_free(shared);
}

TEST_F(grid_in_c, a_split_exchange_is_tested_and_waited_for) {
  weft_halo_exchange* halos = nullptr;
  ASSERT_EQ(weft_halo_exchange_create(
                grid_, box_.data(), WEFT_HALO_RIGHT, sizeof(double), nullptr, &halos),
            WEFT_HALO_OK);
  std::vector<double> memory(static_cast<std::size_t>(box_[0].length * box_[1].length));
  known_field<double, 2> known(around_, field(memory.data(), box()), 3);
  known.fill(0);
  void* const pointer = memory.data();

  ASSERT_EQ(weft_halo_exchange_start(halos, 1, &pointer), WEFT_HALO_OK);
  const std::array<void*, 2> two{pointer, pointer};
  EXPECT_EQ(weft_halo_exchange_run(halos, 2, two.data()), WEFT_HALO_WRONG_STATE);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("call weft_halo_exchange_wait first"));
  int is_over = 0;
  while (is_over == 0) {
    ASSERT_EQ(weft_halo_exchange_test(halos, &is_over), WEFT_HALO_OK);
  }
  EXPECT_EQ(weft_halo_exchange_wait(halos), WEFT_HALO_OK) << weft_halo_error_message();

  EXPECT_EQ(known.mismatch(), "");
  weft_halo_exchange_free(halos);
}

TEST_F(grid_in_c, neighbours_are_ranks_or_nobody) {
  int rank = -2;
  const std::array<int, 2> beyond{0, around_.position[1] == 0 ? -1 : 1};
  ASSERT_EQ(weft_halo_grid_neighbour(grid_, beyond.data(), &rank), WEFT_HALO_OK);
  if (around_.position[1] == 0 || around_.position[1] == around_.processes[1] - 1) {
    EXPECT_EQ(rank, -1);
  } else {
    EXPECT_GE(rank, 0);
  }
  const std::array<int, 2> far{2, 0};
  EXPECT_EQ(weft_halo_grid_neighbour(grid_, far.data(), &rank), WEFT_HALO_BAD_ARGUMENT);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("towards[0] is 2; it may be -1, 0 or 1"));
}

TEST_F(grid_in_c, mistakes_have_codes_and_sentences) {
  weft_halo_exchange* halos = nullptr;
  std::array<weft_halo_axis, 2> wrong = box_;
  wrong[1].begin = 1;
  const auto make = [&](const weft_halo_axis* of, int layout, std::int64_t bytes, int packing) {
    weft_halo_options options = weft_halo_default_options();
    options.packing = packing;
    return weft_halo_exchange_create(grid_, of, layout, bytes, &options, &halos);
  };
  EXPECT_EQ(make(wrong.data(), 0, 8, 0), WEFT_HALO_BAD_AXIS);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("minus=2 does not fit below begin=1"));
  EXPECT_EQ(make(box_.data(), 2, 8, 0), WEFT_HALO_BAD_ARGUMENT);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("layout is 2"));
  EXPECT_EQ(make(box_.data(), 0, 0, 0), WEFT_HALO_BAD_ARGUMENT);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("element_bytes is 0"));
  EXPECT_EQ(make(box_.data(), 0, 8, 99), WEFT_HALO_BAD_ARGUMENT);
  EXPECT_THAT(weft_halo_error_message(),
              HasSubstr("packing is 99; it may be 0 (automatic), 1 (loops), "));
  EXPECT_EQ(make(nullptr, 0, 8, 0), WEFT_HALO_BAD_ARGUMENT);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("box is a null pointer"));
  for (const double wrong_s : {-1.0, 1e10, std::numeric_limits<double>::quiet_NaN()}) {
    weft_halo_options options = weft_halo_default_options();
    options.patience_s = wrong_s;
    EXPECT_EQ(weft_halo_exchange_create(grid_, box_.data(), 0, 8, &options, &halos),
              WEFT_HALO_BAD_ARGUMENT);
    EXPECT_THAT(weft_halo_error_message(), HasSubstr("; it may be 0 for no message, to 1e9"));
  }
  for (const int level : {-2, 4}) {
    weft_halo_options options = weft_halo_default_options();
    options.validate = level;
    EXPECT_EQ(weft_halo_exchange_create(grid_, box_.data(), 0, 8, &options, &halos),
              WEFT_HALO_BAD_ARGUMENT);
    EXPECT_EQ(
        weft_halo_error_message(),
        "validate is " + std::to_string(level) +
            "; it may be -1 (automatic), 0 (off), 1 (descriptors), 2 (check_sums), 3 (cells)");
  }
  EXPECT_EQ(halos, nullptr);

  ASSERT_EQ(make(box_.data(), 0, 8, 0), WEFT_HALO_OK);
  void* const nothing = nullptr;
  EXPECT_EQ(weft_halo_exchange_run(halos, 1, &nothing), WEFT_HALO_BAD_FIELD);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("field 0 is a null pointer"));
  EXPECT_EQ(weft_halo_exchange_run(halos, 0, &nothing), WEFT_HALO_BAD_ARGUMENT);
  weft_halo_exchange_free(halos);
  weft_halo_exchange_free(nullptr);
  weft_halo_field_free(nullptr);
  weft_halo_grid_free(nullptr);
}

TEST_F(grid_in_c, what_one_rank_refuses_is_refused_on_all) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool is_to_blame = rank == size - 1;
  std::array<weft_halo_axis, 2> given = box_;
  given[1].begin = is_to_blame ? 1 : given[1].begin;

  weft_halo_exchange* halos = nullptr;
  EXPECT_EQ(weft_halo_exchange_create(grid_, given.data(), 0, 8, nullptr, &halos),
            is_to_blame ? WEFT_HALO_BAD_AXIS : WEFT_HALO_OTHER_RANK_REFUSED);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("minus=2 does not fit below begin=1"));
  EXPECT_EQ(halos, nullptr);

  const std::int64_t bytes = is_to_blame ? 0 : 8;
  given = box_;
  given[1] = weft_halo_inner(509, 2, 1);  // rows of 4 KiB, which are padded
  weft_halo_field* memory = nullptr;
  EXPECT_EQ(weft_halo_field_create(grid_, given.data(), 0, bytes, &memory),
            is_to_blame ? WEFT_HALO_BAD_ARGUMENT : WEFT_HALO_OTHER_RANK_REFUSED);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("element_bytes is 0"));
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(given[1].length, 512) << "a field that there is not pads no box";
}

TEST_F(grid_in_c, cells_of_a_field_do_not_share_addresses) {
  weft_halo_exchange* halos = nullptr;
  const auto make = [&](std::int64_t first, std::int64_t second) {
    const std::array<std::int64_t, 2> strides{first, second};
    return weft_halo_exchange_create_strided(
        grid_, box_.data(), strides.data(), 8, nullptr, &halos);
  };
  for (const auto& [first, second] :
       {std::pair{1, 1}, {0, 1}, {1, 0}, {2, 1}, {-3, 3}, {1, 4}, {4, 6}}) {
    EXPECT_EQ(make(first, second), WEFT_HALO_BAD_FIELD) << first << ", " << second;
    EXPECT_THAT(weft_halo_error_message(), HasSubstr("every cell needs memory of its own"));
  }
  ASSERT_EQ(make(-100, 3), WEFT_HALO_OK) << weft_halo_error_message();
  weft_halo_exchange_free(halos);
}

TEST(GridInC, bad_numbers_of_dimensions_and_processes) {
  weft_halo_grid* grid = nullptr;
  const std::array<int, 5> dims{7777, 1, 1, 1, 1};
  const std::array<int, 5> periodic{};
  const MPI_Fint world = MPI_Comm_c2f(MPI_COMM_WORLD);
  EXPECT_EQ(weft_halo_grid_create_f(world, 5, dims.data(), periodic.data(), nullptr, &grid),
            WEFT_HALO_BAD_ARGUMENT);
  EXPECT_THAT(weft_halo_error_message(), HasSubstr("num_dims is 5; a grid has 1 to 4"));
  EXPECT_EQ(weft_halo_grid_create_f(world, 1, dims.data(), periodic.data(), nullptr, &grid),
            WEFT_HALO_BAD_GRID);
  EXPECT_EQ(weft_halo_grid_create_f(world, 1, nullptr, periodic.data(), nullptr, &grid),
            WEFT_HALO_BAD_ARGUMENT);
  EXPECT_EQ(grid, nullptr);
}

}  // namespace c_interface_test
}  // namespace weft::halo::test
