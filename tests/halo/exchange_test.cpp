// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges of one type: calls late and early, in steps and at once, and what they must not do.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
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
#include "halo/two_fields.hpp"
#include "halo/world.hpp"

namespace {

// What this program allocates, and what it asks MPI.
std::atomic<long> num_allocations = 0;
std::atomic<long> num_queries = 0;
// An MPI as slow as it may be: two ranks are a node, and what ranks 0 and 3 send does not leave
// before they ask for it.
bool is_mpi_lazy = false;
bool is_pack_size_large = false;  // as that of messages of more than 2 GiB
std::vector<MPI_Request> lazy_sends;
std::vector<MPI_Request> unsent;
enum class damage : std::uint8_t { none, to_what_arrives, to_padding };
damage mpi_does = damage::none;  // whenever it unpacks

}  // namespace

void* operator new(std::size_t size) {
  ++num_allocations;
  if (void* const memory = std::malloc(size); memory != nullptr) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

// MPI's profiling interface: the program's definition comes before the library's.
extern "C" {
int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  ++num_queries;
  return PMPI_Comm_rank(comm, rank);
}
int MPI_Comm_size(MPI_Comm comm, int* size) {
  ++num_queries;
  return PMPI_Comm_size(comm, size);
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  if (!is_mpi_lazy) {
    return PMPI_Comm_split_type(comm, type, key, info, made);
  }
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank / 2, key, made);
}
int MPI_Send_init(const void* from,
                  int count,
                  MPI_Datatype type,
                  int to,
                  int tag,
                  MPI_Comm comm,
                  MPI_Request* request) {
  const int code = PMPI_Send_init(from, count, type, to, tag, comm, request);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (is_mpi_lazy && (rank == 0 || rank == 3)) {
    lazy_sends.push_back(*request);
  }
  return code;
}
int MPI_Start(MPI_Request* request) {
  if (std::ranges::find(lazy_sends, *request) == lazy_sends.end()) {
    return PMPI_Start(request);
  }
  unsent.push_back(*request);
  return MPI_SUCCESS;
}
int MPI_Testall(int count, MPI_Request* requests, int* is_complete, MPI_Status* statuses) {
  for (MPI_Request each : unsent) {
    PMPI_Start(&each);
  }
  unsent.clear();
  return PMPI_Testall(count, requests, is_complete, statuses);
}
int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int* bytes) {
  const int code = PMPI_Pack_size(count, type, comm, bytes);
  *bytes = is_pack_size_large ? 2'000'000'000 : *bytes;
  return code;
}
int MPI_Unpack(const void* from,
               int size,
               int* position,
               void* into,
               int count,
               MPI_Datatype type,
               MPI_Comm comm) {
  if (mpi_does != damage::to_what_arrives) {
    if (mpi_does == damage::to_padding) {
      *static_cast<char*>(into) = 1;
    }
    return PMPI_Unpack(from, size, position, into, count, type, comm);
  }
  const auto* const bytes = static_cast<const char*>(from);
  std::vector<char> other(bytes, bytes + size);
  other[static_cast<std::size_t>(*position)] ^= 1;
  return PMPI_Unpack(other.data(), size, position, into, count, type, comm);
}
int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  ++num_queries;
  return PMPI_Cart_rank(comm, coords, rank);
}
int MPI_Cart_coords(MPI_Comm comm, int rank, int num_dims, int coords[]) {
  ++num_queries;
  return PMPI_Cart_coords(comm, rank, num_dims, coords);
}
int MPI_Alltoall(const void* from,
                 int num_from,
                 MPI_Datatype type_from,
                 void* into,
                 int num_into,
                 MPI_Datatype type_into,
                 MPI_Comm comm) {
  ++num_queries;
  return PMPI_Alltoall(from, num_from, type_from, into, num_into, type_into, comm);
}
int MPI_Get_address(const void* at, MPI_Aint* address) {
  ++num_queries;
  return PMPI_Get_address(at, address);
}
int MPI_Type_commit(MPI_Datatype* type) {
  ++num_queries;
  return PMPI_Type_commit(type);
}
int MPI_Allreduce(
    const void* from, void* into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++num_queries;
  return PMPI_Allreduce(from, into, count, type, op, comm);
}
}

namespace weft::halo::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

int world_size() {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

TEST(Exchange, pointers_come_one_by_one_or_as_a_span) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  exchange<double, layout::right<2>> ex(grid, box, {.max_fields = 2});

  data.fill(1);
  ex(data.first_cells.data(), data.second_cells.data());
  data.expect_right();

  data.fill(2);
  const std::array<double*, 2> both{data.first_cells.data(), data.second_cells.data()};
  ex(both);
  data.expect_right();
}

TEST(Exchange, any_takes_as_many_fields_as_there_are) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  exchange_any<2> any(grid, {.max_fields = 2});
  std::vector<field_view<double, 2>> fields{field(data.first_cells.data(), box)};

  data.fill(1);
  any(fields);
  EXPECT_EQ(data.first.mismatch(), "");

  fields.push_back(field(data.second_cells.data(), box));
  data.fill(2);
  any.start(std::span(std::as_const(fields))).wait();
  data.expect_right();

  fields.push_back(fields.front());
  EXPECT_THAT(error_of([&] { any(fields); }), HasSubstr("3 fields passed, plan was made for"));
  fields.clear();
  EXPECT_THAT(error_of([&] { any(fields); }), HasSubstr("no field passed"));
}

TEST(Exchange, steps_are_those_of_gcl) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  exchange<double, layout::right<2>> ex(grid, box);
  double* const first = data.first_cells.data();
  double* const second = data.second_cells.data();

  for (int round = 0; round < 3; ++round) {
    data.fill(round);
    ex.pack(first, second);
    ex.start();
    ex.wait();
    ex.unpack(first, second);
    data.expect_right();
  }
}

TEST(Exchange, one_that_ends_before_it_is_unpacked_does_the_rest) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  for (const auto how : {transport::automatic, transport::messages}) {
    for (int round = 0; round < 3; ++round) {
      data.fill(round);
      {
        exchange<double, layout::right<2>> ex(grid, box, {.transport = how});
        ex.pack(data.first_cells.data(), data.second_cells.data());
        ex.start();
      }
      data.expect_right();
      exchange<double, layout::right<2>>(grid, box).pack(data.first_cells.data());
    }
  }
}

TEST(Exchange, fields_of_make_field_are_padded_and_exchanged_from_where_they_lie) {
  const auto grid = periodic_grid();
  const world<2> around = world_of(grid, 63);
  const auto made = make_field<double>(
      grid, axes<2>{axis::inner(around.inner(0)).halo(1), axis::inner(62).halo(1)});

  EXPECT_EQ(made.box()[1].length, 72);  // of 64, whose rows would begin in few sets of a cache
  EXPECT_EQ(made.size(), static_cast<std::size_t>((around.inner(0) + 2) * 72));
  EXPECT_EQ(made(0, 0), 0);

  const world<2> large = world_of(grid, 150);
  const auto right = make_field<double>(grid, box_of(large, 2));
  known_field<double, 2> known(large, right.view(), 1);
  exchange<double, layout::right<2>> ex(grid, right.box());
  for (int round = 0; round < 3; ++round) {
    known.fill(round);
    ex(right);
    EXPECT_EQ(known.mismatch(), "");
  }
  if (world_size() > 1) {
    EXPECT_THAT(ex.report(), HasSubstr("one copy from shared fields"));
  }
}

/// By which path rows of so many cells get to the neighbour whom the last dimension leads to.
std::string path_of_rows(std::ptrdiff_t width, std::ptrdiff_t cells) {
  const cart<2> grid(MPI_COMM_WORLD, {.dims = {1, any_number}, .periodic = {true, true}});
  const world<2> around = world_of(grid, cells);
  const auto made = make_field<double>(grid, box_of(around, width));
  known_field<double, 2> known(around, made.view(), 1);
  exchange<double, layout::right<2>> ex(grid, made.box());
  for (int round = 0; round < 4; ++round) {
    known.fill(round);
    ex(made);
    EXPECT_EQ(known.mismatch(), "");
  }
  return ex.report();
}

TEST(Exchange, narrow_rows_of_shared_fields_are_packed) {
  const std::string narrow = path_of_rows(3, 200);
  const std::string wide = path_of_rows(24, 40);

  if (world_size() > 1) {
    EXPECT_THAT(narrow, HasSubstr("staged in shared memory"));
    EXPECT_THAT(wide, HasSubstr("one copy from shared fields\n"));
  }
}

/// Fields whose copies within a rank are large enough to begin before the neighbours' cells come.
void expect_large_copies_right(std::array<int, 3> dims, std::array<bool, 3> periodic) {
  const cart<3> grid(MPI_COMM_WORLD, {.dims = dims, .periodic = periodic});
  world<3> around{.periodic = periodic, .cells_per_process = {55, 56, 57}};
  axes<3> box;
  for (std::size_t d = 0; d < 3; ++d) {
    around.processes[d] = grid.num_processes(d);
    around.position[d] = grid.position(d);
    box[d] = axis::inner(around.inner(d)).halo(5, 6).pad(0, 1);
  }
  std::vector<double> cells(static_cast<std::size_t>(box[0].length * box[1].length) *
                            static_cast<std::size_t>(box[2].length));
  known_field<double, 3> known(around, field(cells.data(), box), 1);
  for (const exchange_options& how : {exchange_options{},
                                      exchange_options{.schedule = schedule::staged},
                                      exchange_options{.transport = transport::messages},
                                      exchange_options{.validate = validation::check_sums}}) {
    exchange<double, layout::right<3>> ex(grid, box, how);
    for (int round = 0; round < 3; ++round) {
      known.fill(round);
      if (round == 2) {
        ex.pack(cells.data());
        ex.start();
        ex.wait();
        ex.unpack(cells.data());
      } else {
        ex.start(cells.data()).wait();
      }
      EXPECT_EQ(known.mismatch(), "");
    }
  }
}

TEST(Exchange, large_copies_within_a_rank_are_right_though_they_begin_early) {
  expect_large_copies_right({0, 1, 1}, {true, true, true});
  expect_large_copies_right({1, 0, 1}, {false, true, true});
  expect_large_copies_right({1, 1, 0}, {true, true, false});
  if (world_size() == 4) {
    expect_large_copies_right({2, 2, 1}, {true, false, true});
  }
}

TEST(Exchange, a_pending_exchange_can_be_tested_and_tells_of_sides) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  exchange<double, layout::right<2>> ex(grid, box);

  data.fill(1);
  auto under_way = ex.start(data.first_cells.data(), data.second_cells.data());
  while (!under_way.test()) {
    under_way.progress();
  }
  data.expect_right();

  data.fill(2);
  auto by_side = ex.start(data.first_cells.data(), data.second_cells.data());
  std::vector<std::array<int, 2>> sides;
  while (const auto side = by_side.wait_any_side()) {
    sides.push_back(*side);
  }
  by_side.wait();
  std::vector<std::array<int, 2>> all;
  for (int i = -1; i <= 1; ++i) {
    for (int j = -1; j <= 1; ++j) {
      if (i != 0 || j != 0) {
        all.push_back({i, j});
      }
    }
  }
  EXPECT_THAT(sides, testing::UnorderedElementsAreArray(all));
  data.expect_right();

  data.fill(3);
  static_cast<void>(ex.start(data.first_cells.data(), data.second_cells.data()));
  data.expect_right();  // the destructor waits
}

TEST(Exchange, nothing_is_allocated_and_mpi_is_asked_nothing_after_the_first) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  std::array<double*, 2> both{data.first_cells.data(), data.second_cells.data()};
  for (const auto how : {packing::automatic, packing::mpi_pack, packing::mpi_datatype}) {
    exchange<double, layout::right<2>> ex(grid, box, {.packing = how, .max_fields = 2});
    exchange_any<2> any(grid, {.packing = how});
    const std::array views{field(both[0], box), field(both[1], box)};
    const auto once = [&] {
      ex(both);
      any(field(both[0], box), field(both[1], box));
      any(views);
      ex.start(both).wait();
    };
    once();
    once();
    const long allocations = num_allocations;
    const long queries = num_queries;
    for (int round = 0; round < 10; ++round) {
      once();
    }
    EXPECT_EQ(num_queries, queries) << to_string(how);
    if (how == packing::automatic) {  // MPI's own allocations are its own
      EXPECT_EQ(num_allocations, allocations);
    }
  }
}

TEST(Exchange, executors_and_subdomains_allocate_nothing_either) {
  const auto grid = periodic_grid();
  const axes<2> box{axis::inner(200).halo(50), axis::inner(200).halo(50)};
  std::vector<double> cells(static_cast<std::size_t>(box[0].length * box[1].length));
  std::size_t num_parts = 0;
  exchange<double, layout::right<2>> ex(
      grid, box, {.executor = executor(2, [&](std::size_t count, const loop_body& body) {
                    num_parts += count;
                    for (std::size_t n = 0; n < count; ++n) {
                      body(n);
                    }
                  })});
  const subdomains<1> among(MPI_COMM_WORLD, {.dims = {3 * world_size()}, .periodic = {true}});
  const std::vector<axes<1>> boxes(3, axes<1>{axis::inner(8).halo(2)});
  subdomain_exchange<double, layout::right<1>> parts(among, boxes);
  const std::array<double*, 3> parted{&cells[0], &cells[20], &cells[40]};
  const auto once = [&] {
    ex(cells.data());
    parts(parted);
  };
  once();
  once();
  const long allocations = num_allocations;
  const long queries = num_queries;
  for (int round = 0; round < 10; ++round) {
    once();
  }
  EXPECT_EQ(num_allocations, allocations);
  EXPECT_EQ(num_queries, queries);
  EXPECT_GE(num_parts, 24U);
}

TEST(Exchange, data_may_change_ten_thousand_times) {
  const auto grid = periodic_grid();
  const axes<2> box{axis::inner(3).halo(1), axis::inner(3).halo(1)};
  const auto shared = make_field<int>(grid, box);
  std::vector<int> own(25);
  exchange<int, layout::right<2>> ex(grid, box);
  const int rounds = world_size() > 2 ? 500 : 10'000;
  bool is_right = true;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 1; i <= 3; ++i) {
      for (std::size_t j = 1; j <= 3; ++j) {
        shared(i, j) = round;
        own[5 * i + j] = -round;
      }
    }
    ex(shared.data(), own.data());
    for (std::size_t n = 0; n < 25; ++n) {
      is_right = is_right && shared.cells()[n] == round && own[n] == -round;
    }
  }
  EXPECT_TRUE(is_right);
}

TEST(Exchange, reverse_adds_what_halos_hold_to_their_owners) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 1);
  std::vector<int> cells(static_cast<std::size_t>(box[0].length * box[1].length), 1);
  exchange<int, layout::right<2>> ex(grid, box);

  ex.reverse(std::plus<>(), cells.data());

  // A cell at a corner is copied to three halos, one at a side to one, others to none.
  const std::ptrdiff_t last_row = box[0].end;
  const std::ptrdiff_t last_column = box[1].end;
  const auto at = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
    return cells[static_cast<std::size_t>(i * box[1].length + j)];
  };
  EXPECT_EQ(at(1, 1), 4);
  EXPECT_EQ(at(last_row, last_column), 4);
  EXPECT_EQ(at(1, 3), 2);
  EXPECT_EQ(at(3, 1), 2);
  EXPECT_EQ(at(3, 3), 1);
  EXPECT_EQ(at(0, 3), 1);
}

TEST(Exchange, self_test_and_check_sums_find_nothing_wrong_where_all_is_right) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  for (const validation level :
       {validation::off, validation::descriptors, validation::check_sums, validation::cells}) {
    exchange<double, layout::right<2>> ex(grid, box, {.validate = level});
    ex.self_test(2);
    data.fill(static_cast<int>(level));
    ex(data.first_cells.data(), data.second_cells.data());
    data.expect_right();
  }
}

TEST(Exchange, self_test_and_check_sums_find_what_is_wrong) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const auto grid = periodic_grid();
  axes<2> box = box_of(world_of(grid, 6), 2);
  box = {box[0].pad(1, 0), box[1].pad(1, 0)};
  std::vector<double> cells(static_cast<std::size_t>(box[0].length * box[1].length));
  const auto exchange_at = [&](validation level) {
    return exchange<double, layout::right<2>>(
        grid, box, {.packing = packing::mpi_pack, .validate = level});
  };
  auto trusting = exchange_at(validation::descriptors);
  auto watched = exchange_at(validation::check_sums);

  mpi_does = damage::to_padding;
  EXPECT_THAT(error_of([&] { trusting.self_test(); }),
              HasSubstr("cell (0,0) of field 0 was changed though nobody owns it elsewhere"));
  EXPECT_THAT(error_of([&] { exchange_at(validation::cells); }),
              HasSubstr("was changed though nobody owns it"));
  mpi_does = damage::to_what_arrives;
  EXPECT_THAT(error_of([&] { trusting.self_test(); }),
              HasSubstr(" of field 0 has not the value of its owner"));
  EXPECT_THAT(error_of([&] { watched(cells.data()); }), HasSubstr(" are not what rank "));
  EXPECT_EQ(error_of([&] { trusting(cells.data()); }), "nothing was thrown");
  mpi_does = damage::none;

  EXPECT_EQ(error_of([&] { trusting.self_test(); }), "nothing was thrown");
  EXPECT_EQ(error_of([&] { watched(cells.data()); }), "nothing was thrown");
}

TEST(Exchange, a_report_advises_against_rows_that_share_sets_of_a_cache) {
  const auto grid = periodic_grid();
  const axes<2> box{axis::inner(4).halo(1), axis::inner(254).halo(1)};
  const exchange<double, layout::right<2>> plain(grid, box);
  const exchange<double, layout::right<2>> padded(grid, make_field<double>(grid, box).box());

  EXPECT_THAT(plain.report(), HasSubstr("rows of field 0 lie 2048 B apart"));
  EXPECT_THAT(padded.report(), Not(HasSubstr("B apart")));
  EXPECT_THAT(
      plain.report(),
      ContainsRegex(
          "0 exchanges, planned in [0-9.e+]+ us once all ranks had come, after [0-9.e+]+ us"));
}

TEST(Exchange, a_rank_that_waits_for_memory_lets_its_messages_go) {
  if (world_size() != 4) {
    GTEST_SKIP() << "needs 4 ranks";
  }
  is_mpi_lazy = true;
  const cart<2> grid(MPI_COMM_WORLD, {.dims = {2, 2}, .periodic = {true, true}});
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  {
    exchange<double, layout::right<2>> ex(grid, box, {.schedule = schedule::staged});
    for (int round = 0; round < 10; ++round) {
      data.fill(round);
      ex(data.first_cells.data(), data.second_cells.data());
      data.expect_right();
    }
    EXPECT_EQ(lazy_sends.empty(), grid.rank() == 1 || grid.rank() == 2);
  }
  is_mpi_lazy = false;
  lazy_sends.clear();
}

TEST(Exchange, mpi_packs_no_more_than_2_gib) {
  if (world_size() < 2) {
    GTEST_SKIP() << "needs 2 ranks";
  }
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  is_pack_size_large = grid.rank() == 0;

  // On all ranks alike, before anything is sent.
  EXPECT_THAT(error_of([&] {
                exchange<double, layout::right<2>>(grid, box, {.packing = packing::mpi_pack});
              }),
              HasSubstr("MPI_Pack takes no more than 2 GiB; use packing loops or mpi_datatype"));
  is_pack_size_large = false;
  exchange<double, layout::right<2>> ex(grid, box, {.transport = transport::messages});
  data.fill(1);
  ex(data.first_cells.data(), data.second_cells.data());
  data.expect_right();
}

TEST(Exchange, counters_tell_what_exchanges_did) {
  const auto grid = periodic_grid();
  const axes<2> box = box_of(world_of(grid, 6), 2);
  two_fields data(grid, box);
  exchange<double, layout::right<2>> ex(grid, box, {.transport = transport::messages});
  counters::session session{"/halo/count/exchanges", "/halo/data/messages", "/halo/data/itself"};

  ex(data.first_cells.data());
  ex(data.first_cells.data());

  const auto now = session.evaluate();
  EXPECT_EQ(now.number_of("/halo/count/exchanges"), 2);
  const std::ptrdiff_t halo_cells = box[0].length * box[1].length - box[0].size() * box[1].size();
  EXPECT_EQ(now.number_of("/halo/data/messages") + now.number_of("/halo/data/itself"),
            static_cast<double>(halo_cells * 2 * 8));
  EXPECT_THAT(ex.report(), HasSubstr("2 exchanges"));
  EXPECT_THAT(ex.report(), HasSubstr("GB/s of halo cells"));
}

}  // namespace
}  // namespace weft::halo::test
