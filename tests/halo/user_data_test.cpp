// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges of data of the program's own: any objects, to those who asked for them.
#include "weft/halo/user_data.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo/cart.hpp"

#include "halo/caught.hpp"

namespace weft::halo::user_data_test {

using test::error_of;
using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

struct particle {
  double x;
  int number;
};

/// Particles between 0 and 1 of each rank; who leaves goes to the neighbour on that side.
struct particles {
  std::vector<particle> all;

  [[nodiscard]] static int side_of(const particle& each) {
    return each.x < 0 ? -1 : each.x < 1 ? 0 : 1;
  }
  [[nodiscard]] std::size_t size(const std::array<int, 1>& towards) const {
    return sizeof(particle) * static_cast<std::size_t>(std::ranges::count(
                                  all, towards[0], [](const particle& p) { return side_of(p); }));
  }
  void gather(const std::array<int, 1>& towards, std::span<std::byte> into) const {
    for (const particle& each : all) {
      if (side_of(each) == towards[0]) {
        std::memcpy(into.data(), &each, sizeof(each));
        into = into.subspan(sizeof(each));
      }
    }
  }
  void scatter(const std::array<int, 1>& from, std::span<const std::byte> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(sizeof(particle))) {
      particle each{};
      std::memcpy(&each, bytes.data(), sizeof(each));
      each.x += from[0];  // in this rank's coordinates
      all.push_back(each);
    }
  }
  void forget_those_outside() {
    std::erase_if(all, [](const particle& each) { return side_of(each) != 0; });
  }
};

TEST(UserData, particles_move_to_their_new_owners) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  const int own = ring.rank();
  particles right;
  particles left;
  for (int n = 0; n <= own; ++n) {  // as many as the rank says
    right.all.push_back({0.5, own});
    left.all.push_back({0.25, own});
  }
  data_exchange<1> exchange(ring);

  for (int step = 0; step < 2 * world_size(); ++step) {  // twice around
    for (particle& each : right.all) {
      each.x += 1;
    }
    for (particle& each : left.all) {
      each.x -= 1;
    }
    exchange.start(right, left);
    right.forget_those_outside();
    left.forget_those_outside();
    exchange.wait(right, left);
    const int from = ((own - step - 1) % world_size() + world_size()) % world_size();
    ASSERT_EQ(right.all.size(), static_cast<std::size_t>(from + 1));
    EXPECT_THAT(right.all, Each(testing::Field(&particle::number, from)));
  }

  ASSERT_EQ(left.all.size(), static_cast<std::size_t>(own + 1));
  EXPECT_THAT(left.all, Each(testing::Field(&particle::number, own)));
  EXPECT_THAT(left.all, Each(testing::Field(&particle::x, 0.25)));
}

TEST(UserData, an_exchange_that_ends_under_way_takes_what_was_sent) {
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  particles leaving;
  leaving.all.push_back({1.5, ring.rank()});

  {
    data_exchange<1> exchange(ring);
    exchange.start(leaving);
  }

  MPI_Barrier(ring.communicator());
  int is_left = 0;
  for (int i = 0; i < 1000 && is_left == 0; ++i) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, ring.communicator(), &is_left, MPI_STATUS_IGNORE);
  }
  EXPECT_EQ(is_left, 0);
}

/// What comes from a direction is what the neighbour there has for the opposite one.
struct tagged {
  int rank = 0;
  std::vector<std::array<int, 4>> seen = {};  // from, then sender, then towards

  [[nodiscard]] std::size_t size(const std::array<int, 2>& /*towards*/) const {
    return 3 * sizeof(int);
  }
  void gather(const std::array<int, 2>& towards, std::span<std::byte> into) const {
    const std::array<int, 3> told{rank, towards[0], towards[1]};
    std::memcpy(into.data(), told.data(), into.size());
  }
  void scatter(const std::array<int, 2>& from, std::span<const std::byte> bytes) {
    std::array<int, 3> told{};
    std::memcpy(told.data(), bytes.data(), bytes.size());
    EXPECT_EQ(told[1], -from[0]);
    EXPECT_EQ(told[2], -from[1]);
    seen.push_back({from[0], from[1], told[0], 0});
  }
};

TEST(UserData, each_direction_meets_its_opposite) {
  const cart<2> torus(MPI_COMM_WORLD, {.periodic = {true, true}});
  tagged data{.rank = torus.rank()};
  data_exchange<2> exchange(torus);

  exchange(data);

  ASSERT_EQ(data.seen.size(), 8U);
  EXPECT_TRUE(std::ranges::is_sorted(data.seen));
  for (const auto& [i, j, sender, unused] : data.seen) {
    EXPECT_EQ(sender, (torus.neighbour({i, j})));
  }
}

TEST(UserData, numbers_of_objects_that_differ_are_an_error) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const cart<1> ring(MPI_COMM_WORLD, {.periodic = {true}});
  particles one;
  particles other;
  data_exchange<1> exchange(ring);

  const std::string found =
      error_of([&] { ring.rank() == 0 ? exchange(one, other) : exchange(one); });

  if (ring.rank() <= 1) {
    EXPECT_THAT(
        found,
        AnyOf(HasSubstr("exchanges 2 objects, rank 1 1"), HasSubstr(" 1 objects, rank 0 2")));
  }
  EXPECT_THAT(error_of([&] { exchange.wait(one); }), HasSubstr("without start(objects...)"));
}

}  // namespace weft::halo::user_data_test
