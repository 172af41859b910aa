// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between GPUs. Where there is none, all but the sentences that say so is skipped.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"
#include "weft/halo/cuda.hpp"

#include "halo/random_parts.hpp"
#include "halo/world.hpp"

namespace weft::halo::test {
namespace cuda_exchange_test {

using testing::AllOf;
using testing::HasSubstr;

/// Empty: there is a GPU; else why not.
std::string trouble_with_devices() {
  int num_devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&num_devices);
  return code == cudaSuccess ? "" : std::string("no GPU: ") + cudaGetErrorString(code);
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

struct free_on_device {
  void operator()(void* memory) const { static_cast<void>(cudaFree(memory)); }
};
struct destroy_stream {
  void operator()(CUstream_st* stream) const { static_cast<void>(cudaStreamDestroy(stream)); }
};
using owned_stream = std::unique_ptr<CUstream_st, destroy_stream>;

owned_stream make_stream() {
  cudaStream_t made = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), cudaSuccess);
  return owned_stream(made);
}

/// A field on the GPU, filled and looked at through one on the host.
template <class Value, std::size_t num_dims>
class gpu_field {
 public:
  gpu_field(const world<num_dims>& around, int number, dice& with) {
    const axes<num_dims> box = random_box(around, with);
    const layout::strided<num_dims> how = random_layout(box, with);
    here_.resize(num_elements(box, how));
    void* made = nullptr;
    EXPECT_EQ(cudaMalloc(&made, bytes()), cudaSuccess);
    memory_.reset(made);
    view = halo::field(static_cast<Value*>(made), box, how);
    known.emplace(around, halo::field(here_.data(), box, how), number);
  }

  /// In the order of `stream`; waits only for the host's memory to be read.
  void fill(int round, cudaStream_t stream) {
    known->fill(round);
    EXPECT_EQ(cudaMemcpyAsync(memory_.get(), here_.data(), bytes(), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
  }
  std::string mismatch(cudaStream_t stream) {
    EXPECT_EQ(cudaMemcpyAsync(here_.data(), memory_.get(), bytes(), cudaMemcpyDeviceToHost, stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return known->mismatch();
  }

  field_view<Value, num_dims> view;
  std::optional<known_field<Value, num_dims>> known;

 private:
  [[nodiscard]] std::size_t bytes() const { return here_.size() * sizeof(Value); }

  std::vector<Value> here_;
  std::unique_ptr<void, free_on_device> memory_;
};

class CudaExchange : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = trouble_with_devices(); !why.empty()) {
      GTEST_SKIP() << why;
    }
  }
};

cuda_options random_ways(dice& with) {
  constexpr std::array<packing, 3> packings{packing::automatic, packing::loops, packing::direct};
  constexpr std::array<std::ptrdiff_t, 4> chunks{256, 300, 1 << 20, whole_messages};
  cuda_options made;
  made.packing = packings[static_cast<std::size_t>(with.roll(3))];
  made.schedule = static_cast<schedule>(with.roll(3));
  made.path = with.flip() ? device_path::automatic : device_path::staged;
  made.chunk_bytes = chunks[static_cast<std::size_t>(with.roll(4))];
  return made;
}

template <std::size_t num_dims>
void expect_right(std::uint64_t seed) {
  dice with(seed);
  cart_options<num_dims> arrangement{.dims = random_dims<num_dims>(world_size(), with)};
  for (bool& each : arrangement.periodic) {
    each = with.roll(3) > 0;
  }
  arrangement.maps_to = random_order<num_dims>(with);
  const cart<num_dims> grid(MPI_COMM_WORLD, arrangement);
  world<num_dims> around{.periodic = arrangement.periodic};
  for (std::size_t d = 0; d < num_dims; ++d) {
    const auto along = static_cast<std::size_t>(arrangement.maps_to[d]);
    around.processes[d] = arrangement.dims[along];
    around.position[d] = grid.coords()[along];
    around.cells_per_process[d] = 1 + with.roll(9);
  }
  gpu_field<double, num_dims> first(around, 1, with);
  gpu_field<rgb, num_dims> second(around, 2, with);
  gpu_field<float, num_dims> third(around, 3, with);
  exchange_any<num_dims, cuda> halos(grid, random_ways(with));
  bound_device_exchange bound = halos.bind(first.view, second.view, third.view);
  const owned_stream stream = make_stream();
  for (int round = 0; round < 4; ++round) {
    first.fill(round, stream.get());
    second.fill(round, stream.get());
    third.fill(round, stream.get());
    if (round < 2) {
      halos(stream.get(), first.view, second.view, third.view);
    } else {
      bound(stream.get());
    }
    const std::string what = "seed " + std::to_string(seed) + ", " + halos.report();
    ASSERT_EQ(first.mismatch(stream.get()), "") << what;
    ASSERT_EQ(second.mismatch(stream.get()), "") << what;
    ASSERT_EQ(third.mismatch(stream.get()), "") << what;
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "left behind by polling";
}

TEST_F(CudaExchange, fields_of_all_kinds_travel_together) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    expect_right<2>(seed);
    expect_right<3>(seed);
    expect_right<4>(seed);
  }
}

TEST_F(CudaExchange, kernels_before_and_behind_see_what_they_should) {
  constexpr std::ptrdiff_t cells = 1 << 20;
  const cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const axes<1> box{axis::inner(cells).halo(1)};
  const std::size_t bytes = (cells + 2) * sizeof(double);
  void* made = nullptr;
  ASSERT_EQ(cudaMalloc(&made, bytes), cudaSuccess);
  const std::unique_ptr<void, free_on_device> memory(made);
  auto* const field = static_cast<double*>(made);
  exchange<double, layout::right<1>, cuda> halos(grid, box);
  const owned_stream stream = make_stream();
  const owned_stream other = make_stream();

  for (int round = 1; round <= 20; ++round) {
    // Each byte of a number is the round's, or this rank's: long work, then the exchange behind it.
    const int mark = round * 8 + grid.rank() % 8;
    ASSERT_EQ(cudaMemsetAsync(made, mark, bytes, stream.get()), cudaSuccess);
    auto under_way = halos.start(stream.get(), field);
    under_way.then(other.get());
    std::array<std::uint64_t, 2> found{};
    ASSERT_EQ(
        cudaMemcpyAsync(&found[0], field, sizeof(double), cudaMemcpyDeviceToHost, other.get()),
        cudaSuccess);
    ASSERT_EQ(
        cudaMemcpyAsync(
            &found[1], field + cells + 1, sizeof(double), cudaMemcpyDeviceToHost, other.get()),
        cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other.get()), cudaSuccess);
    const auto expected = [&](int rank) {
      const auto byte = static_cast<std::uint64_t>(round * 8 + rank % 8) & 0xffU;
      return byte * 0x0101010101010101U;
    };
    EXPECT_EQ(found[0], expected((grid.rank() + grid.size() - 1) % grid.size()));
    EXPECT_EQ(found[1], expected((grid.rank() + 1) % grid.size()));
    // The next round writes what this one's stream still reads.
    ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  }
}

TEST_F(CudaExchange, memory_of_the_other_side_is_refused) {
  const cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const axes<1> box{axis::inner(8).halo(2)};
  exchange<double, layout::right<1>, cuda> on_devices(grid, box);
  exchange<double, layout::right<1>> on_hosts(grid, box);
  std::vector<double> own(12);
  void* made = nullptr;
  ASSERT_EQ(cudaMalloc(&made, 12 * sizeof(double)), cudaSuccess);
  const std::unique_ptr<void, free_on_device> memory(made);

  const auto what_of = [](const auto& body) {
    try {
      body();
    } catch (const error& thrown) {
      return std::string(thrown.what());
    }
    return std::string("nothing was thrown");
  };

  EXPECT_THAT(what_of([&] { on_devices(nullptr, own.data()); }),
              HasSubstr("field 0 lies in host memory; pass memory of cudaMalloc"));
  EXPECT_THAT(what_of([&] { on_hosts(static_cast<double*>(made)); }),
              HasSubstr("field 0 lies in the memory of a GPU, which hosts cannot read"));
}

TEST(CudaErrors, a_machine_without_a_gpu_is_told_of_on_all_ranks) {
  if (trouble_with_devices().empty()) {
    GTEST_SKIP() << "there is a GPU";
  }
  const cart<1> grid(MPI_COMM_WORLD, {.periodic = {true}});
  const axes<1> box{axis::inner(8).halo(2)};

  std::string what = "nothing was thrown";
  errc code = errc::mpi_call;
  try {
    const exchange<double, layout::right<1>, cuda> halos(grid, box);
  } catch (const error& thrown) {
    what = thrown.what();
    code = thrown.code();
  }

  EXPECT_EQ(code, errc::device_call);
  EXPECT_THAT(what,
              AllOf(HasSubstr("rank " + std::to_string(grid.rank())),
                    HasSubstr("an exchange of halo::cuda needs a CUDA device: cudaGetDeviceCount"),
                    HasSubstr("(cudaError")));
}

}  // namespace cuda_exchange_test
}  // namespace weft::halo::test
