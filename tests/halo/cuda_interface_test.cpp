// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs write for GPUs, on the device of threads: the headers need no CUDA.
#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"
#include "weft/halo/cuda.hpp"
#include "weft/halo/cuda_options.hpp"

#include "halo/device/device.hpp"
#include "halo/emulated_device.hpp"

namespace weft::halo::test {
namespace cuda_interface_test {

using testing::HasSubstr;

using c_order = layout::right<2>;
using on_gpu = exchange<double, c_order, cuda>;

constexpr std::ptrdiff_t cells = 5;
constexpr std::ptrdiff_t length = cells + 2;

cart<2> torus() { return cart<2>(MPI_COMM_WORLD, {.periodic = {true, true}}); }

axes<2> box() {
  const axis along = axis::inner(cells).halo(1);
  return {along, along};
}

/// A field of a device, each cell the global number of its place where it is known.
class field_of_torus {
 public:
  field_of_torus(const cart<2>& grid, double more)
      : grid_(grid),
        more_(more),
        memory_(detail::allocate_on(*current_emulated_device(), length * length * sizeof(double))) {
    for (std::ptrdiff_t i = 1; i <= cells; ++i) {
      for (std::ptrdiff_t j = 1; j <= cells; ++j) {
        at(i, j) = number(i, j);
      }
    }
  }
  [[nodiscard]] double* data() const { return reinterpret_cast<double*>(memory_.get()); }
  [[nodiscard]] field_view<double, 2> view() const { return field(data(), box()); }
  [[nodiscard]] int num_wrong() const {
    int wrong = 0;
    for (std::ptrdiff_t i = 0; i < length; ++i) {
      for (std::ptrdiff_t j = 0; j < length; ++j) {
        wrong += at(i, j) == number(i, j) ? 0 : 1;
      }
    }
    return wrong;
  }

 private:
  [[nodiscard]] double& at(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return data()[i * length + j];
  }
  [[nodiscard]] std::ptrdiff_t global(std::size_t d, std::ptrdiff_t index) const {
    const std::ptrdiff_t all = grid_.num_processes(d) * cells;
    return (grid_.position(d) * cells + index - 1 + all) % all;
  }
  [[nodiscard]] double number(std::ptrdiff_t i, std::ptrdiff_t j) const {
    return more_ + static_cast<double>(global(0, i) * 1000 + global(1, j));
  }

  const cart<2>& grid_;
  double more_;
  detail::device_memory memory_;
};

/// A stream of the user's.
class own_stream {
 public:
  [[nodiscard]] cuda_stream get() const { return reinterpret_cast<cuda_stream>(queue_.get()); }
  void drain() const { current_emulated_device()->drain(queue_.get()); }

 private:
  detail::owned_queue queue_ = detail::queue_of(*current_emulated_device());
};

TEST(CudaInterface, pointers_come_one_by_one_or_as_a_span) {
  const cart<2> grid = torus();
  on_gpu halos(grid, box());
  const own_stream stream;
  const field_of_torus one(grid, 0.25);
  const field_of_torus two(grid, 0.5);
  const field_of_torus three(grid, 0.75);

  halos(stream.get(), one.data());
  const std::array<double* const, 2> others{two.data(), three.data()};
  halos(stream.get(), others);
  stream.drain();

  EXPECT_EQ(one.num_wrong() + two.num_wrong() + three.num_wrong(), 0);
}

TEST(CudaInterface, a_pending_exchange_can_be_tested_left_and_waited_for) {
  const cart<2> grid = torus();
  on_gpu halos(grid, box());
  on_gpu others(grid, box());
  const own_stream stream;
  const field_of_torus one(grid, 0.25);
  const field_of_torus two(grid, 0.5);
  const field_of_torus three(grid, 0.75);

  auto first = halos.start(stream.get(), one.data());
  auto second = others.start(stream.get(), two.data());
  while (!first.test()) {
    second.progress();
  }
  second.wait();
  second.wait();  // nothing more to wait for
  {
    const auto left = halos.start(stream.get(), three.data());
  }

  EXPECT_EQ(one.num_wrong() + two.num_wrong() + three.num_wrong(), 0);
}

TEST(CudaInterface, bound_exchanges_keep_their_fields) {
  const cart<2> grid = torus();
  on_gpu halos(grid, box());
  exchange_any<2, cuda> any(grid);
  const own_stream stream;
  const field_of_torus one(grid, 0.25);
  const field_of_torus two(grid, 0.5);
  const field_of_torus three(grid, 0.75);

  bound_device_exchange uniform = halos.bind(one.data());
  bound_device_exchange generic = any.bind(two.view(), three.view());
  const std::size_t num_allocations = current_emulated_device()->num_allocations();
  for (int round = 0; round < 3; ++round) {
    uniform(stream.get());
    generic.start(stream.get()).then(stream.get());
  }
  stream.drain();

  EXPECT_EQ(one.num_wrong() + two.num_wrong() + three.num_wrong(), 0);
  EXPECT_EQ(current_emulated_device()->num_allocations(), num_allocations);
  EXPECT_THAT(generic.report(), HasSubstr("2 fields on threads of the host"));
  EXPECT_THAT(generic.report(), HasSubstr("3 exchanges"));
}

TEST(CudaInterface, fields_of_any_type_travel_together) {
  const cart<2> grid = torus();
  exchange_any<2, cuda> any(grid, {.schedule = schedule::staged, .chunk_bytes = whole_messages});
  const own_stream stream;
  const field_of_torus one(grid, 0.25);
  const field_of_torus two(grid, 0.5);

  any(stream.get(), one.view());
  any(stream.get(), two.view());
  stream.drain();

  EXPECT_EQ(one.num_wrong() + two.num_wrong(), 0);
}

template <class Body>
std::string what_of(const Body& body) {
  try {
    body();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

TEST(CudaInterface, more_fields_than_announced_are_refused) {
  const cart<2> grid = torus();
  on_gpu halos(grid, box(), {.max_fields = 1});
  const field_of_torus one(grid, 0.25);
  const field_of_torus two(grid, 0.5);

  EXPECT_THAT(what_of([&] { halos(nullptr, one.data(), two.data()); }),
              HasSubstr("2 fields passed, plan was made for .max_fields=1"));
  EXPECT_THAT(what_of([&] { static_cast<void>(halos.bind(one.data(), two.data())); }),
              HasSubstr("2 fields passed"));
  EXPECT_THAT(what_of([&] { halos(nullptr, std::span<double* const>()); }),
              HasSubstr("no field passed"));
}

}  // namespace cuda_interface_test
}  // namespace weft::halo::test
