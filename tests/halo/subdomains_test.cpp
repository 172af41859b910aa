// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several subdomains per rank: every cell, whoever owns what.
#include "weft/halo/subdomains.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"

#include "halo/world.hpp"

namespace weft::halo::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// A field in parts, one for each subdomain of this rank.
template <class Value, std::size_t num_dims, class Layout>
struct parted_field {
  parted_field(const subdomains<num_dims>& among,
               const subdomain_options<num_dims>& options,
               directions which,
               int number) {
    for (const int each : among.mine()) {
      world<num_dims> around{.processes = options.dims,
                             .position = among.coords(each),
                             .periodic = options.periodic,
                             .which = which};
      axes<num_dims> box;
      std::size_t size = 1;
      for (std::size_t d = 0; d < num_dims; ++d) {
        around.cells_per_process[d] = 3 + static_cast<std::ptrdiff_t>(d);
        box[d] = axis::inner(around.inner(d)).halo(1, 2).pad(0, 1);
        size *= static_cast<std::size_t>(box[d].length);
      }
      memory.emplace_back(size);
      boxes.push_back(box);
      pointers.push_back(memory.back().data());
      known.emplace_back(around, field(pointers.back(), box, Layout()), number);
    }
  }
  void fill(int round) {
    for (auto& each : known) {
      each.fill(round);
    }
  }
  void expect_right(const std::string& what) const {
    for (const auto& each : known) {
      EXPECT_EQ(each.mismatch(), "") << what;
    }
  }

  std::vector<std::vector<Value>> memory;
  std::vector<axes<num_dims>> boxes;
  std::vector<Value*> pointers;
  std::vector<known_field<Value, num_dims>> known;
};

template <std::size_t num_dims, class Layout>
void expect_right(const subdomain_options<num_dims>& options, const exchange_options& how) {
  const subdomains<num_dims> among(MPI_COMM_WORLD, options);
  parted_field<double, num_dims, Layout> one(among, options, how.directions, 1);
  parted_field<double, num_dims, Layout> other(among, options, how.directions, 2);
  subdomain_exchange<double, Layout> exchange(among, std::span(std::as_const(one.boxes)), how);
  for (int round = 0; round < 3; ++round) {
    one.fill(round);
    exchange(one.pointers);
    one.expect_right("one field");
    one.fill(round);
    other.fill(round);
    exchange.start(one.pointers, other.pointers);
    while (!exchange.test()) {
    }
    one.expect_right("the first of two");
    other.expect_right("the second of two");
  }
}

/// Neighbours on the same rank, on others, and on both sides the same.
std::vector<int> strewn_owners(int num_subdomains) {
  dice with(static_cast<std::uint64_t>(num_subdomains));
  std::vector<int> owners;
  owners.reserve(static_cast<std::size_t>(num_subdomains));
  for (int n = 0; n < num_subdomains; ++n) {
    owners.push_back(static_cast<int>(with.roll(world_size())));
  }
  return owners;
}

TEST(Subdomains, every_cell_is_right_whoever_owns_what) {
  expect_right<2, layout::right<2>>({.dims = {3, 4}, .periodic = {true, true}}, {});
  expect_right<2, layout::left<2>>(
      {.dims = {4, 3}, .periodic = {false, true}, .owners = strewn_owners(12)},
      {.packing = packing::mpi_datatype});
  expect_right<3, layout::right<3>>(
      {.dims = {3, 1, 2}, .periodic = {true, true, false}, .owners = strewn_owners(6)},
      {.packing = packing::direct});
  expect_right<3, layout::increasing<1, 2, 0>>(
      {.dims = {2, 2, 2}, .periodic = {true, false, true}, .owners = strewn_owners(8)},
      {.packing = packing::mpi_pack, .directions = directions::faces});
  expect_right<1, layout::right<1>>(
      {.dims = {5}, .periodic = {true}, .owners = std::vector<int>(5, 0)}, {});
}

TEST(Subdomains, they_know_their_neighbours_and_owners) {
  const subdomains<2> among(MPI_COMM_WORLD, {.dims = {4, 3}, .periodic = {false, true}});

  EXPECT_EQ(among.num_subdomains(), 12);
  EXPECT_EQ(among.coords(7), (std::array<int, 2>{2, 1}));
  EXPECT_EQ(among.neighbour(7, {1, -1}), 9);
  EXPECT_EQ(among.neighbour(8, {0, 1}), 6);
  EXPECT_EQ(among.neighbour(9, {1, 0}), std::nullopt);
  EXPECT_EQ(among.owner(0), 0);
  EXPECT_EQ(among.owner(11), world_size() - 1);
  for (const int each : among.mine()) {
    EXPECT_EQ(among.owner(each) == 0, each * world_size() / 12 == 0);
  }
}

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

TEST(Subdomains, mistakes_have_sentences) {
  const auto made = [](const subdomain_options<2>& options) {
    return error_of([&] { subdomains<2>(MPI_COMM_WORLD, options); });
  };
  EXPECT_THAT(made({.dims = {2, 0}}),
              HasSubstr("dims[1] is 0; there is at least 1 subdomain along each dimension"));
  EXPECT_THAT(made({.dims = {2, 2}, .owners = {0}}), HasSubstr("1 owners for 4 subdomains"));
  EXPECT_THAT(made({.dims = {1, 2}, .owners = {0, world_size()}}),
              HasSubstr("subdomain 1 belongs to rank " + std::to_string(world_size())));

  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {2 * world_size()}, .periodic = {true}});
  using line = subdomain_exchange<double, layout::right<1>>;
  const auto with = [&](const axis& along, std::size_t num) {
    const std::vector<axes<1>> boxes(num, axes<1>{along});
    return error_of([&] { line(among, boxes); });
  };
  EXPECT_THAT(with(axis::inner(4).halo(1), 1),
              AllOf(HasSubstr("1 boxes passed, rank "), HasSubstr(" has 2 subdomains")));
  EXPECT_THAT(with(axis::inner(1).halo(2), 2),
              AllOf(HasSubstr("axis 0 of subdomain "),
                    HasSubstr(": inner width 1 is smaller than the halo 2 it must send")));

  const std::vector<axes<1>> boxes(2, axes<1>{axis::inner(4).halo(1)});
  line right(among, boxes);
  std::vector<double> cells(6);
  const std::array<double*, 1> too_few{cells.data()};
  EXPECT_THAT(error_of([&] { right(too_few); }),
              HasSubstr("1 parts passed, this rank has 2 subdomains"));
  std::vector<double> others(12);
  const std::array<double*, 2> one{cells.data(), others.data()};
  const std::array<double*, 2> other{others.data() + 6, cells.data()};
  std::vector<double> both(12);
  const std::array<double*, 2> more{both.data(), both.data() + 6};
  right.start(one);
  EXPECT_THAT(error_of([&] { right.start(other, more); }),
              HasSubstr("what was started is under way; wait() comes first"));
  right.wait();
  if (world_size() > 1) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EXPECT_THAT(made({.dims = {1, 2}, .owners = {0, rank == 0 ? 0 : 1}}),
                HasSubstr("ranks name different subdomains"));
    EXPECT_THAT(with(axis::inner(4).halo(rank == 0 ? 1 : 2), 2), HasSubstr(" disagree: block "));
  }
}

}  // namespace
}  // namespace weft::halo::test
