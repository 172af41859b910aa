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

#include "weft/counters/session.hpp"
#include "weft/halo.hpp"

#include "halo/caught.hpp"
#include "halo/world.hpp"

namespace {
int ranks_per_node = 0;  // 0: as many as there are
}

// MPI's profiling interface: the program's definition comes before the library's.
extern "C" int MPI_Comm_split_type(
    MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  if (ranks_per_node == 0) {
    return PMPI_Comm_split_type(comm, type, key, info, made);
  }
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank / ranks_per_node, key, made);
}

namespace weft::halo::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// A field in parts, one for each subdomain of this rank, in memory of the test's own or in that of
/// `make_field`.
template <class Value, std::size_t num_dims, class Layout>
struct parted_field {
  parted_field(const subdomains<num_dims>& among,
               const subdomain_options<num_dims>& options,
               directions which,
               bool is_shared) {
    std::vector<world<num_dims>> worlds;
    for (const int each : among.mine()) {
      world<num_dims> around{.processes = options.dims,
                             .position = among.coords(each),
                             .periodic = options.periodic,
                             .which = which};
      axes<num_dims> box;
      for (std::size_t d = 0; d < num_dims; ++d) {
        around.cells_per_process[d] = 3 + static_cast<std::ptrdiff_t>(d);
        box[d] = axis::inner(around.inner(d)).halo(1, 2).pad(0, 1);
      }
      worlds.push_back(around);
      boxes.push_back(box);
    }
    if (is_shared) {
      shared.emplace(make_field<Value>(among, boxes, Layout()));
      EXPECT_EQ(shared->boxes(), boxes);
      EXPECT_EQ(shared->num_parts(), among.mine().size());
    }
    for (std::size_t part = 0; part < boxes.size(); ++part) {
      memory.emplace_back(is_shared ? 0 : detail::num_cells(boxes[part]));
      pointers.push_back(is_shared ? shared->part(part).data : memory.back().data());
      known.emplace_back(
          worlds[part], field(pointers.back(), boxes[part], Layout()), is_shared ? 2 : 1);
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
  [[nodiscard]] std::span<Value* const> parts() const {
    return shared.has_value() ? std::span<Value* const>(*shared) : pointers;
  }

  std::vector<axes<num_dims>> boxes;
  std::optional<shared_parts<Value, Layout>> shared;
  std::vector<std::vector<Value>> memory;
  std::vector<Value*> pointers;
  std::vector<known_field<Value, num_dims>> known;
};

/// One field and two, which change between memory of their own and memory that others see.
template <std::size_t num_dims, class Layout>
void expect_right(const subdomain_options<num_dims>& options, const exchange_options& how) {
  const subdomains<num_dims> among(MPI_COMM_WORLD, options);
  parted_field<double, num_dims, Layout> own(among, options, how.directions, false);
  parted_field<double, num_dims, Layout> shared(among, options, how.directions, true);
  subdomain_exchange<double, Layout> exchange(among, std::span(std::as_const(own.boxes)), how);
  for (int round = 0; round < 6; ++round) {
    parted_field<double, num_dims, Layout>& alone = round % 3 == 0 ? own : shared;
    alone.fill(round);
    exchange(alone.parts());
    alone.expect_right("one field");
    own.fill(round + 1);
    shared.fill(round + 2);
    exchange.start(own.parts(), shared.parts());
    while (!exchange.test()) {
    }
    exchange.wait();  // for nothing any more
    own.expect_right("with another field");
    shared.expect_right("with a field of its own memory");
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

/// On its own threads, or what looks like them.
executor one_after_the_other() {
  return {2, [](std::size_t count, const loop_body& body) {
            for (std::size_t i = 0; i < count; ++i) {
              body(i);
            }
          }};
}

TEST(Subdomains, every_cell_is_right_on_several_nodes) {
  ranks_per_node = 2;
  expect_right<2, layout::right<2>>(
      {.dims = {3, 4}, .periodic = {true, false}, .owners = strewn_owners(12)}, {});
  expect_right<2, layout::left<2>>({.dims = {4, 3}, .periodic = {true, true}},
                                   {.executor = one_after_the_other()});
  expect_right<1, layout::right<1>>({.dims = {7}, .periodic = {true}},
                                    {.transport = transport::messages});
  ranks_per_node = 0;
}

TEST(Subdomains, ranks_of_a_node_read_each_others_parts) {
  const subdomain_options<2> options{.dims = {2 * world_size(), 2}, .periodic = {true, true}};
  const subdomains<2> among(MPI_COMM_WORLD, options);
  const std::vector<axes<2>> wanted(4, axes<2>{axis::inner(4).halo(1), axis::inner(62).halo(1)});
  const auto parts = make_field<double>(among, wanted);
  subdomain_exchange<double, layout::right<2>> exchange(among, parts.boxes());
  counters::session session{"/halo/count/exchanges",
                            "/halo/count/messages",
                            "/halo/data/shared-memory",
                            "/halo/data/itself"};
  const std::string before = exchange.report();

  exchange(parts);

  EXPECT_THAT(before, AllOf(HasSubstr("4 parts of fields, 0 exchanges"), Not(HasSubstr("staged"))));
  EXPECT_EQ(parts.boxes()[0][1].length, 64 + 8);  // rows of 512 B are bad for caches
  const auto now = session.evaluate();
  EXPECT_EQ(now.number_of("/halo/count/exchanges"), 1);
  EXPECT_EQ(now.number_of("/halo/count/messages"), 0);
  constexpr double row_bytes = 64 * 8;
  constexpr double column_bytes = 4 * 8;
  const bool is_alone = world_size() == 1;
  EXPECT_EQ(now.number_of("/halo/data/shared-memory"), is_alone ? 0 : 4 * row_bytes);
  EXPECT_EQ(now.number_of("/halo/data/itself"), (is_alone ? 8 : 4) * row_bytes + 8 * column_bytes);
  EXPECT_THAT(exchange.report(), HasSubstr("4 parts of fields, 1 exchanges"));
  if (world_size() == 2) {
    EXPECT_THAT(exchange.report(),
                HasSubstr("sends 2048 B, receives 2048 B; one copy from shared fields"));
  }
}

static_assert(!parts_of<shared_parts<double, layout::left<2>>, double, layout::right<2>>);
static_assert(parts_of<shared_parts<double, layout::left<2>>, double, layout::left<2>>);

TEST(Subdomains, fields_whose_rows_were_padded_need_their_own_boxes) {
  const subdomains<2> among(MPI_COMM_WORLD, {.dims = {world_size(), 1}, .periodic = {true, true}});
  const std::vector<axes<2>> wanted(1, axes<2>{axis::inner(4).halo(1), axis::inner(62).halo(1)});
  const auto padded = make_field<double>(among, wanted);
  const auto as_wanted = make_field<double>(among, wanted, {}, padding::none);
  subdomain_exchange<double, layout::right<2>> exchange(among, wanted);

  EXPECT_THAT(error_of([&] { exchange(padded); }),
              HasSubstr("part 0 of the field has other axes than the exchange; make_field pads "
                        "rows, so make the exchange with field.boxes()"));
  EXPECT_EQ(error_of([&] { exchange(as_wanted); }), "nothing was thrown");
}

TEST(Subdomains, a_report_tells_what_is_staged_of_several_fields) {
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {world_size()}, .periodic = {true}});
  const std::vector<axes<1>> boxes(1, axes<1>{axis::inner(6).halo(1)});
  const auto shared = make_field<double>(among, boxes);
  std::vector<double> cells(8);
  const std::array<double*, 1> own{cells.data()};
  subdomain_exchange<double, layout::right<1>> exchange(among, boxes);

  exchange(own, shared);

  if (world_size() == 2) {
    EXPECT_THAT(exchange.report(),
                HasSubstr("sends 32 B, receives 32 B; 16 B of what it sends staged in shared"));
  }
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

TEST(Subdomains, fields_of_two_types_travel_together) {
  const subdomain_options<2> options{.dims = {2 * world_size(), 3}, .periodic = {true, false}};
  const subdomains<2> among(MPI_COMM_WORLD, options);
  for (const transport by : {transport::automatic, transport::messages}) {
    parted_field<double, 2, layout::right<2>> doubles(among, options, directions::all, false);
    parted_field<std::int16_t, 2, layout::left<2>> shorts(among, options, directions::all, true);
    std::vector<field_view<double, 2>> views;
    views.reserve(doubles.boxes.size());
    for (std::size_t part = 0; part < doubles.boxes.size(); ++part) {
      views.push_back(field(doubles.pointers[part], doubles.boxes[part]));
    }
    subdomain_exchange_any<2> any(among, {.transport = by});
    for (int round = 0; round < 3; ++round) {
      doubles.fill(round);
      shorts.fill(round);

      any(views, *shorts.shared);

      doubles.expect_right("doubles");
      shorts.expect_right("shorts");
    }
    doubles.fill(3);
    any.start(views);  // another list
    EXPECT_THAT(error_of([&] { any.start(views); }), HasSubstr("has not ended; call wait() first"));
    any.wait();
    doubles.expect_right("doubles alone");
    views.pop_back();
    EXPECT_THAT(error_of([&] { any(views); }), HasSubstr(" parts passed, this rank has "));
  }
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
  EXPECT_THAT(
      error_of([&] { subdomain_exchange<double, layout::strided<1>>(among, boxes, {}, {{0}}); }),
      AllOf(HasSubstr(": neighbours along axis 0 (\"i\") lie 0 bytes apart"),
            HasSubstr("subdomain ")));
  const std::vector<axes<1>> one_box(1, axes<1>{axis::inner(4).halo(1)});
  EXPECT_THAT(error_of([&] { static_cast<void>(make_field<double>(among, one_box)); }),
              HasSubstr("1 boxes passed, rank "));
  if (world_size() > 1) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EXPECT_THAT(made({.dims = {1, 2}, .owners = {0, rank == 0 ? 0 : 1}}),
                HasSubstr("ranks 0 and 1 disagree: the owner of subdomain 1 is 0 on rank 0, the "
                          "owner of subdomain 1 is 1 on rank 1"));
    EXPECT_THAT(with(axis::inner(4).halo(rank == 0 ? 1 : 2), 2), HasSubstr(" disagree: block "));
  }
}

TEST(Subdomains, mistakes_in_parts_have_sentences) {
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {2 * world_size()}, .periodic = {true}});
  const std::vector<axes<1>> boxes(2, axes<1>{axis::inner(4).halo(1)});
  subdomain_exchange<double, layout::right<1>> right(among, boxes);
  std::vector<double> cells(6);
  const std::array<double*, 1> too_few{cells.data()};
  EXPECT_THAT(error_of([&] { right(too_few); }),
              HasSubstr("1 parts passed, this rank has 2 subdomains"));
  const std::array<double*, 2> twice{cells.data(), cells.data()};
  EXPECT_THAT(error_of([&] { right(twice); }),
              HasSubstr("part 0 of field 0 and part 1 of field 0 overlap in memory; each needs "
                        "memory of its own, halos included"));
  std::vector<double> others(12);
  const std::array<double*, 2> shifted{others.data(), others.data() + 5};
  EXPECT_THAT(error_of([&] { right(shifted); }),
              HasSubstr("part 0 of field 0 and part 1 of field 0 overlap in memory"));
  const std::array<double*, 2> one{cells.data(), others.data()};
  const std::array<double*, 2> other{others.data() + 6, cells.data()};
  std::vector<double> both(12);
  const std::array<double*, 2> more{both.data(), both.data() + 6};
  const std::array<double*, 2> shares_one{one[1], both.data()};
  EXPECT_THAT(error_of([&] { right(one, shares_one); }),
              HasSubstr("part 1 of field 0 and part 0 of field 1 overlap in memory"));
  right.start(one);
  EXPECT_THAT(error_of([&] { right.start(other, more); }),
              HasSubstr("a started exchange has not ended; call wait() first"));
  right.wait();
  EXPECT_THAT(error_of([&] { right.wait(); }), HasSubstr("wait() without start() before it"));
}

}  // namespace
}  // namespace weft::halo::test
