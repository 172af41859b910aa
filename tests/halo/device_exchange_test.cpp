// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between devices that threads and host memory emulate: every cell of random worlds, the
// order of queues, and every mistake's sentence.
#include "halo/device/device_exchange.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"
#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/shape.hpp"

#include "halo/caught.hpp"
#include "halo/device/device.hpp"
#include "halo/emulated_device.hpp"
#include "halo/random_parts.hpp"
#include "halo/world.hpp"

namespace weft::halo::test {
namespace device_exchange_test {

using detail::device_exchange;
using detail::device_memory;
using detail::mpi_support;
using testing::AllOf;
using testing::HasSubstr;

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

bool is_by_mpi(packing how) { return how == packing::mpi_pack || how == packing::mpi_datatype; }

cuda_options random_ways(dice& with) {
  cuda_options made;
  made.packing = static_cast<packing>(with.roll(5));
  made.schedule = static_cast<schedule>(with.roll(3));
  if (made.schedule != schedule::staged) {
    made.directions = with.roll(3) == 0 ? static_cast<directions>(with.roll(3)) : directions::all;
  }
  made.path = is_by_mpi(made.packing) || with.flip() ? device_path::automatic : device_path::staged;
  constexpr std::array<std::ptrdiff_t, 4> chunks{256, 300, 1 << 20, whole_messages};
  made.chunk_bytes = chunks[static_cast<std::size_t>(with.roll(4))];
  return made;
}

/// A field on a device, and one on the host that is exchanged by the host.
template <class Value, std::size_t num_dims>
class two_fields {
 public:
  two_fields(emulated_device& on, const world<num_dims>& around, int number, dice& with) {
    const axes<num_dims> box = random_box(around, with);
    const layout::strided<num_dims> how = random_layout(box, with);
    const std::size_t size = num_elements(box, how);
    const std::size_t shift = alignof(Value) * static_cast<std::size_t>(with.roll(3));
    memory_ = detail::allocate_on(on, size * sizeof(Value) + shift);
    on_host_.resize(size);
    std::memset(static_cast<void*>(on_host_.data()), 0xcd, size * sizeof(Value));  // as there
    view = halo::field(reinterpret_cast<Value*>(memory_.get() + shift), box, how);
    host_view = halo::field(on_host_.data(), box, how);
    known.emplace(around, view, number);
    host_known_.emplace(around, host_view, number);
  }

  void fill(int round) { known->fill(round); }
  void fill_host(int round) { host_known_->fill(round); }
  [[nodiscard]] bool is_as_on_host() const {
    const auto* const own = reinterpret_cast<const std::byte*>(view.data);
    const auto* const other = reinterpret_cast<const std::byte*>(on_host_.data());
    return std::equal(own, own + on_host_.size() * sizeof(Value), other);
  }
  [[nodiscard]] std::byte* address() const { return detail::bytes_of(view.data); }

  field_view<Value, num_dims> view;
  field_view<Value, num_dims> host_view;
  std::optional<known_field<Value, num_dims>> known;

 private:
  device_memory memory_;
  std::vector<Value> on_host_;
  std::optional<known_field<Value, num_dims>> host_known_;
};

template <std::size_t num_dims>
struct drawn_world {
  explicit drawn_world(dice& with) {
    arrangement.dims = random_dims<num_dims>(world_size(), with);
    for (bool& each : arrangement.periodic) {
      each = with.roll(3) > 0;
    }
    arrangement.maps_to = random_order<num_dims>(with);
    grid.emplace(MPI_COMM_WORLD, arrangement);
    ways = random_ways(with);
    around = {.periodic = arrangement.periodic, .which = ways.directions};
    for (std::size_t d = 0; d < num_dims; ++d) {
      const auto along = static_cast<std::size_t>(arrangement.maps_to[d]);
      around.processes[d] = arrangement.dims[along];
      around.position[d] = grid->coords()[along];
      around.cells_per_process[d] = 1 + with.roll(num_dims > 3 ? 3 : 5);
    }
  }

  cart_options<num_dims> arrangement;
  std::optional<cart<num_dims>> grid;
  cuda_options ways;
  world<num_dims> around;
};

template <std::size_t num_dims>
void expect_right(std::uint64_t seed) {
  dice with(seed);
  const drawn_world<num_dims> drawn(with);
  const auto on = std::make_shared<emulated_device>(is_by_mpi(drawn.ways.packing) || with.flip()
                                                        ? mpi_support::answer::yes
                                                        : mpi_support::answer::no);
  two_fields<double, num_dims> first(*on, drawn.around, 1, with);
  two_fields<rgb, num_dims> second(*on, drawn.around, 2, with);
  two_fields<std::int32_t, num_dims> third(*on, drawn.around, 3, with);
  const std::array<std::byte*, 3> all{first.address(), second.address(), third.address()};
  device_exchange exchange(drawn.grid->shared_grid(),
                           drawn.ways,
                           on,
                           {first.view.shape(), second.view.shape(), third.view.shape()},
                           std::source_location::current());
  exchange_any<num_dims> host(
      *drawn.grid, {.schedule = drawn.ways.schedule, .directions = drawn.ways.directions});
  const std::array<detail::owned_queue, 2> users{detail::queue_of(*on), detail::queue_of(*on)};
  for (int round = 0; round < 3; ++round) {
    detail::device_queue* const queue = users[static_cast<std::size_t>(round % 2)].get();
    on->run(queue, [&, round] {
      first.fill(round);
      second.fill(round);
      third.fill(round);
    });
    exchange.begin(queue, all);
    if (round == 0) {
      exchange.then(queue);
      on->drain(queue);
    } else if (round == 1) {
      exchange.wait();
    } else {
      while (!exchange.test()) {
      }
    }
    first.fill_host(round);
    second.fill_host(round);
    third.fill_host(round);
    host(first.host_view, second.host_view, third.host_view);

    const std::string what = "seed " + std::to_string(seed) + ", " + exchange.report();
    ASSERT_EQ(first.known->mismatch(), "") << what;
    ASSERT_EQ(second.known->mismatch(), "") << what;
    ASSERT_EQ(third.known->mismatch(), "") << what;
    ASSERT_TRUE(first.is_as_on_host() && second.is_as_on_host() && third.is_as_on_host()) << what;
  }
}

constexpr std::uint64_t num_worlds = 30;

template <std::size_t num_dims>
void expect_all_right() {
  for (std::uint64_t seed = 1; seed <= num_worlds; ++seed) {
    expect_right<num_dims>(seed * 10 + num_dims);
  }
}

TEST(DeviceWorlds, every_cell_is_right_in_1_dimension) { expect_all_right<1>(); }
TEST(DeviceWorlds, every_cell_is_right_in_2_dimensions) { expect_all_right<2>(); }
TEST(DeviceWorlds, every_cell_is_right_in_3_dimensions) { expect_all_right<3>(); }
TEST(DeviceWorlds, every_cell_is_right_in_4_dimensions) { expect_all_right<4>(); }

cart<1> ring() { return cart<1>(MPI_COMM_WORLD, {.periodic = {true}}); }

/// A ring of ranks, eight cells of a field each, two halo cells on both sides.
class DeviceRing : public testing::Test {
 protected:
  static constexpr std::ptrdiff_t cells = 8;
  static constexpr std::ptrdiff_t width = 2;

  [[nodiscard]] std::unique_ptr<device_exchange> make(const cuda_options& options = {},
                                                      std::size_t num_fields = 1) const {
    const axes<1> box{axis::inner(cells).halo(width)};
    const std::vector<detail::shape> shapes(
        num_fields, detail::shape_of<double>(box, layout::right<1>::strides(box)));
    return std::make_unique<device_exchange>(
        grid.shared_grid(), options, on, shapes, std::source_location::current());
  }
  [[nodiscard]] device_memory make_cells() const {
    return detail::allocate_on(*on, (cells + 2 * width) * sizeof(double));
  }
  static std::span<double> numbers(const device_memory& field) {
    return {reinterpret_cast<double*>(field.get()), static_cast<std::size_t>(cells + 2 * width)};
  }
  void number_cells(const device_memory& field, double more) const {
    for (std::ptrdiff_t n = 0; n < cells; ++n) {
      numbers(field)[static_cast<std::size_t>(n + width)] =
          more + static_cast<double>(grid.rank() * cells + n);
    }
  }
  /// What the halos of such a field have to be.
  [[nodiscard]] bool has_halos(const device_memory& field, double more) const {
    const auto all = static_cast<std::ptrdiff_t>(grid.size()) * cells;
    const auto owner = [&](std::ptrdiff_t n) {
      return more + static_cast<double>((grid.rank() * cells + n + all) % all);
    };
    const auto at = numbers(field);
    return at[0] == owner(-2) && at[1] == owner(-1) && at[10] == owner(8) && at[11] == owner(9);
  }

  cart<1> grid = ring();
  std::shared_ptr<emulated_device> on = std::make_shared<emulated_device>();
};

/// Holds a queue until it is let go, however long that takes.
class gate {
 public:
  void pass() { is_open_.wait(false); }
  void open() {
    is_open_.store(true);
    is_open_.notify_all();
  }

 private:
  std::atomic<bool> is_open_ = false;
};

TEST_F(DeviceRing, an_exchange_comes_behind_what_its_queue_holds) {
  const auto exchange = make();
  const device_memory field = make_cells();
  const auto users = detail::queue_of(*on);
  const std::array<std::byte*, 1> fields{field.get()};
  gate late;
  number_cells(field, 0);
  on->run(users.get(), [&] {
    late.pass();
    number_cells(field, 1000);
  });

  exchange->begin(users.get(), fields);
  for (int round = 0; round < 100; ++round) {
    // A rank alone has no message to wait for.
    EXPECT_EQ(exchange->advance(), grid.size() == 1);
    EXPECT_FALSE(exchange->test()) << "the kernel before it has not run";
  }
  late.open();
  exchange->wait();

  EXPECT_TRUE(has_halos(field, 1000));
}

TEST_F(DeviceRing, a_device_whose_queues_do_not_wait_is_found_out) {
  on = std::make_shared<emulated_device>(mpi_support::answer::no,
                                         emulated_faults{.queues_do_not_wait = true});
  const auto exchange = make();
  const device_memory field = make_cells();
  const auto users = detail::queue_of(*on);
  const std::array<std::byte*, 1> fields{field.get()};
  gate late;
  number_cells(field, 0);
  on->run(users.get(), [&] {
    late.pass();
    number_cells(field, 1000);
  });

  exchange->begin(users.get(), fields);
  exchange->wait();
  on->drain_all_but(users.get());  // as nobody waits for them either
  late.open();
  on->drain(users.get());

  EXPECT_FALSE(has_halos(field, 1000));
}

TEST_F(DeviceRing, the_caller_does_not_wait_for_the_device) {
  const auto exchange = make();
  const device_memory field = make_cells();
  const auto users = detail::queue_of(*on);
  const auto others = detail::queue_of(*on);
  const std::array<std::byte*, 1> fields{field.get()};
  gate late;
  number_cells(field, 0);

  exchange->begin(users.get(), fields);
  on->run(users.get(), [&] { late.pass(); });  // a long kernel, behind the exchange
  exchange->then(users.get());
  exchange->then(others.get());
  bool saw_halos = false;
  on->run(others.get(), [&] { saw_halos = has_halos(field, 0); });
  on->drain(others.get());

  EXPECT_TRUE(saw_halos);
  late.open();
  on->drain(users.get());
}

TEST_F(DeviceRing, nothing_is_allocated_after_the_first) {
  const auto exchange = make({.chunk_bytes = 256}, 2);
  const device_memory one = make_cells();
  const device_memory two = make_cells();
  const device_memory three = make_cells();
  const std::size_t num_before = on->num_allocations();

  for (int round = 0; round < 4; ++round) {
    const std::array<std::byte*, 2> fields{one.get(), (round % 2 == 0 ? two : three).get()};
    number_cells(one, round);
    number_cells(round % 2 == 0 ? two : three, round + 500);
    exchange->begin(nullptr, fields);
    exchange->wait();
    EXPECT_TRUE(has_halos(one, round));
    EXPECT_TRUE(has_halos(round % 2 == 0 ? two : three, round + 500));
  }

  EXPECT_EQ(on->num_allocations(), num_before);
}

TEST_F(DeviceRing, all_fields_and_directions_are_packed_in_one_launch) {
  const auto exchange = make({}, 3);
  const std::array<device_memory, 3> memory{make_cells(), make_cells(), make_cells()};
  const std::array<std::byte*, 3> fields{memory[0].get(), memory[1].get(), memory[2].get()};

  exchange->begin(nullptr, fields);
  exchange->wait();

  // One copies within this rank; or one packs, and one for each neighbouring rank unpacks.
  const auto num_neighbours = static_cast<std::size_t>(std::min(grid.size() - 1, 2));
  EXPECT_EQ(on->num_launches(), 1 + num_neighbours);
}

TEST_F(DeviceRing, messages_go_through_pinned_memory_or_by_mpi_alone) {
  const auto first_device = on;
  const device_memory field = make_cells();
  const std::array<std::byte*, 1> fields{field.get()};
  const auto num_neighbours = static_cast<std::size_t>(std::min(grid.size() - 1, 2));
  const auto staged = make();
  staged->begin(nullptr, fields);
  staged->wait();
  EXPECT_EQ(on->num_copies(), 2 * num_neighbours);

  on = std::make_shared<emulated_device>(mpi_support::answer::yes);
  const device_memory other = make_cells();
  const std::array<std::byte*, 1> others{other.get()};
  const auto aware = make({.path = device_path::gpu_aware});
  const std::size_t num_probing = on->num_copies();
  number_cells(other, 7);
  aware->begin(nullptr, others);
  aware->wait();

  EXPECT_TRUE(has_halos(other, 7));
  EXPECT_EQ(on->num_copies(), num_probing);
  EXPECT_THAT(aware->report(), HasSubstr("MPI reads memory of the device: the test says so"));
  if (grid.size() > 1) {
    EXPECT_THAT(aware->report(), HasSubstr("by MPI alone, from device to device"));
    EXPECT_THAT(staged->report(),
                HasSubstr("through pinned memory of the hosts, 1048576 B at a time"));
  }
}

TEST_F(DeviceRing, two_exchanges_may_be_under_way_at_once) {
  const auto one = make();
  const auto other = make({.chunk_bytes = whole_messages});
  const device_memory first = make_cells();
  const device_memory second = make_cells();
  const std::array<std::byte*, 1> firsts{first.get()};
  const std::array<std::byte*, 1> seconds{second.get()};
  number_cells(first, 100);
  number_cells(second, 200);

  one->begin(nullptr, firsts);
  other->begin(nullptr, seconds);
  other->wait();
  one->wait();

  EXPECT_TRUE(has_halos(first, 100));
  EXPECT_TRUE(has_halos(second, 200));
}

using DeviceErrors = DeviceRing;

TEST_F(DeviceErrors, fields_that_cannot_be) {
  const auto exchange = make({}, 2);
  const device_memory field = make_cells();
  double on_host = 0;

  const auto with = [&](std::byte* second) {
    return caught_from([&] {
      const std::array<std::byte*, 2> fields{field.get(), second};
      exchange->begin(nullptr, fields);
    });
  };

  EXPECT_THAT(with(reinterpret_cast<std::byte*>(&on_host)).what,
              AllOf(HasSubstr("rank " + std::to_string(grid.rank())),
                    HasSubstr("field 1 lies in host memory; pass memory of the device")));
  EXPECT_THAT(with(nullptr).what, HasSubstr("field 1 is a null pointer"));
  EXPECT_THAT(with(field.get()).what, HasSubstr("fields 0 and 1 overlap"));
  EXPECT_THAT(with(field.get() + sizeof(double)).what, HasSubstr("fields 0 and 1 overlap"));
  EXPECT_EQ(with(nullptr).code, errc::bad_field);
}

TEST_F(DeviceErrors, null_pointers_in_the_first_exchange) {
  const auto exchange = make();

  const auto thrown = caught_from([&] { exchange->begin(nullptr, std::array<std::byte*, 1>{}); });

  EXPECT_EQ(thrown.code, errc::bad_field);
  EXPECT_THAT(thrown.what, HasSubstr("field 0 is a null pointer"));
}

TEST_F(DeviceErrors, options_that_cannot_be) {
  const auto with = [&](const cuda_options& options) {
    return caught_from([&] { static_cast<void>(make(options)); });
  };

  EXPECT_THAT(with({.chunk_bytes = 12}).what,
              HasSubstr("chunk_bytes is 12; it takes 256 or more, or whole_messages"));
  EXPECT_THAT(
      with({.validate = validation::check_sums}).what,
      HasSubstr("validate check_sums reads cells on the host, and these lie on a device; use "
                "off or descriptors"));
  EXPECT_THAT(
      with({.packing = packing::mpi_pack, .path = device_path::staged}).what,
      HasSubstr("packing mpi_pack lets MPI read the memory of the device, and path staged"));
  EXPECT_THAT(with({.packing = packing::mpi_datatype}).what,
              HasSubstr("packing mpi_datatype lets MPI read the memory of the device, which it "
                        "does not: the test says so; use packing automatic, loops or direct"));
  EXPECT_THAT(with({.path = device_path::gpu_aware}).what,
              HasSubstr("path gpu_aware: MPI does not read the memory of the device: the test"));
  EXPECT_EQ(with({.path = device_path::gpu_aware}).code, errc::unsupported);
  EXPECT_THAT(with({.schedule = schedule::staged, .directions = directions::faces}).what,
              HasSubstr("schedule staged fills corners as well"));
}

TEST_F(DeviceErrors, an_mpi_that_does_not_say_is_tried_only_if_asked_for) {
  on = std::make_shared<emulated_device>(mpi_support::answer::unknown);

  EXPECT_THAT(make()->report(), HasSubstr("MPI does not read memory of the device"));
  EXPECT_THAT(make({.path = device_path::gpu_aware})->report(),
              HasSubstr("MPI reads memory of the device"));
}

TEST_F(DeviceErrors, ranks_that_disagree) {
  if (grid.size() == 1) {
    GTEST_SKIP() << "one rank agrees with itself";
  }
  const bool is_first = grid.rank() == 0;

  const auto chunks =
      caught_from([&] { static_cast<void>(make({.chunk_bytes = is_first ? 512 : 1024})); });
  const auto paths = caught_from([&] {
    static_cast<void>(make({.path = is_first ? device_path::staged : device_path::automatic}));
  });
  const auto spaces = caught_from([&] {
    const axes<1> box{axis::inner(cells).halo(width)};
    if (is_first) {
      static_cast<void>(make({.schedule = schedule::bulk}));
    } else {
      exchange<double, layout::right<1>>(
          grid, box, {.schedule = schedule::bulk, .transport = transport::messages});
    }
  });

  EXPECT_THAT(chunks.what, HasSubstr("ranks disagree: chunk_bytes is 512 to 1024"));
  EXPECT_THAT(paths.what, HasSubstr("ranks disagree: path is "));
  EXPECT_THAT(spaces.what, HasSubstr("disagree"));
}

class DeviceWithoutMemory : public DeviceErrors,
                            public testing::WithParamInterface<mpi_support::answer> {};

TEST_P(DeviceWithoutMemory, on_one_rank_is_told_to_all) {
  const bool is_last = grid.rank() + 1 == grid.size();
  std::size_t failed = 0;
  for (std::unique_ptr<device_exchange> made; made == nullptr; ++failed) {
    ASSERT_LT(failed, 100U) << "nothing can be made";
    on = std::make_shared<emulated_device>(
        GetParam(), emulated_faults{.fail_at_allocation = is_last ? failed + 1 : 0});
    const auto thrown = caught_from([&] { made = make(); });
    if (made == nullptr) {
      EXPECT_EQ(thrown.code, is_last ? errc::device_call : errc::other_rank_refused);
      EXPECT_THAT(thrown.what, HasSubstr("allocation: the test says no (errorOfTest)"));
    }
  }
  EXPECT_GT(failed, 1U) << "no allocation has failed";

  // Tags of later plans still fit together.
  on = std::make_shared<emulated_device>(GetParam());
  const auto exchange = make();
  const device_memory field = make_cells();
  number_cells(field, 0);
  exchange->begin(nullptr, std::array<std::byte*, 1>{field.get()});
  exchange->wait();
  EXPECT_TRUE(has_halos(field, 0));
}

INSTANTIATE_TEST_SUITE_P(DeviceErrors,
                         DeviceWithoutMemory,
                         testing::Values(mpi_support::answer::no, mpi_support::answer::yes));

TEST_F(DeviceErrors, calls_in_an_order_that_means_nothing) {
  const auto exchange = make();
  const device_memory field = make_cells();
  const std::array<std::byte*, 1> fields{field.get()};

  exchange->begin(nullptr, fields);
  const auto twice = caught_from([&] { exchange->begin(nullptr, fields); });
  exchange->wait();

  EXPECT_EQ(twice.code, errc::wrong_state);
  EXPECT_THAT(twice.what, HasSubstr("an exchange of these fields is under way"));
}

TEST_F(DeviceErrors, a_second_begin_is_refused_whether_messages_have_come_or_not) {
  const auto exchange = make();
  const device_memory field = make_cells();
  const std::array<std::byte*, 1> fields{field.get()};

  exchange->begin(nullptr, fields);
  while (!exchange->advance()) {
  }
  const auto early = caught_from([&] { exchange->begin(nullptr, fields); });
  while (!exchange->test()) {
  }

  EXPECT_EQ(early.code, errc::wrong_state);
  EXPECT_NO_THROW(exchange->begin(nullptr, fields)) << "the test was true";
  exchange->wait();
  EXPECT_NO_THROW(exchange->begin(nullptr, fields)) << "it was waited for";
  exchange->wait();
}

TEST_F(DeviceErrors, a_device_that_fails_ends_the_exchange) {
  on = std::make_shared<emulated_device>(mpi_support::answer::no,
                                         emulated_faults{.fail_at_copy = 1});
  auto exchange = make();
  const device_memory field = make_cells();
  const std::array<std::byte*, 1> fields{field.get()};
  if (grid.size() == 1) {
    GTEST_SKIP() << "one rank copies nothing to the host";
  }

  const auto first = caught_from([&] {
    exchange->begin(nullptr, fields);
    exchange->wait();
  });
  const auto second = caught_from([&] { exchange->begin(nullptr, fields); });

  EXPECT_EQ(first.code, errc::device_call);
  EXPECT_THAT(first.what, HasSubstr("copy: the test says no (errorOfTest)"));
  EXPECT_EQ(second.code, errc::wrong_state);
  EXPECT_THAT(second.what, HasSubstr("an earlier error of the device ended this exchange"));
  exchange.reset();  // what was begun ends before the field does
}

}  // namespace device_exchange_test
}  // namespace weft::halo::test
