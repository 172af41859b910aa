// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host's exchange refuses memory of a GPU with a sentence, where it would have crashed; channels
// leave it to an MPI that reads it.
#include "halo/device/device_pointers.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "weft/halo.hpp"

#include "halo/fake_cuda_driver.hpp"
#include "tests/support/paths.hpp"

namespace {

// An MPI that says what the test wants, and what it carried from a rank to itself.
bool does_mpi_read_devices = false;
int num_carried_to_itself = 0;

}  // namespace

extern "C" {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
int MPIX_Query_cuda_support() { return does_mpi_read_devices ? 1 : 0; }
#elif defined(MPIX_GPU_SUPPORT_CUDA)
int MPIX_GPU_query_support(int /*kind*/, int* is_supported) {
  *is_supported = does_mpi_read_devices ? 1 : 0;
  return MPI_SUCCESS;
}
#endif
// NOLINTNEXTLINE(readability-function-size): MPI has that many parameters
int MPI_Sendrecv(const void* from,
                 int num_from,
                 MPI_Datatype type_from,
                 int to_rank,
                 int tag_from,
                 void* into,
                 int num_into,
                 MPI_Datatype type_into,
                 int from_rank,
                 int tag_into,
                 MPI_Comm comm,
                 MPI_Status* status) {
  ++num_carried_to_itself;
  return PMPI_Sendrecv(from,
                       num_from,
                       type_from,
                       to_rank,
                       tag_from,
                       into,
                       num_into,
                       type_into,
                       from_rank,
                       tag_into,
                       comm,
                       status);
}
}

namespace weft::halo {
namespace {

const std::byte* bytes_at(const double* cells) { return reinterpret_cast<const std::byte*>(cells); }

/// A driver that comes late, after somebody has looked for it in vain.
class fake_driver {
 public:
  fake_driver() {
    const std::vector<double> own(1);
    EXPECT_FALSE(detail::is_device_memory(bytes_at(own.data())));
    library_ = dlopen(weft::test::beside_this_program(WEFT_FAKE_CUDA_DRIVER).c_str(),
                      RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  [[nodiscard]] weft_fake_cells& cells(const char* name) const {
    return *static_cast<weft_fake_cells*>(dlsym(library_, name));
  }

 private:
  void* library_ = nullptr;
};

class DevicePointers : public testing::Test {
 protected:
  static const fake_driver& driver() {
    static const fake_driver loaded;
    return loaded;
  }

  weft_fake_cells& device_cells = driver().cells("device_cells");
  weft_fake_cells& managed_cells = driver().cells("managed_cells");
};

TEST_F(DevicePointers, are_told_from_those_of_hosts) {
  const std::vector<double> own(8);

  EXPECT_TRUE(detail::is_device_memory(bytes_at(device_cells.data() + 3)));
  EXPECT_FALSE(detail::is_device_memory(bytes_at(own.data())));
  EXPECT_FALSE(detail::is_device_memory(bytes_at(managed_cells.data()))) << "hosts may read it";
}

TEST_F(DevicePointers, are_refused_by_an_exchange_of_hosts) {
  const cart<1> grid(MPI_COMM_SELF, {.periodic = {true}});
  const axes<1> box{axis::inner(8).halo(2)};
  exchange<double, layout::right<1>> on_hosts(grid, box);
  std::vector<double> own(12);

  std::string what = "nothing was thrown";
  errc code = errc::mpi_call;
  try {
    on_hosts(own.data(), device_cells.data());
  } catch (const error& thrown) {
    what = thrown.what();
    code = thrown.code();
  }

  EXPECT_EQ(code, errc::bad_field);
  EXPECT_THAT(what,
              testing::HasSubstr("field 1 lies in the memory of a GPU, which hosts cannot read; "
                                 "use exchange<Value, Layout, halo::cuda>"));
  EXPECT_NO_THROW(on_hosts(own.data(), managed_cells.data()));
}

TEST_F(DevicePointers, are_refused_where_hosts_copy_blocks) {
  const cart<1> grid(MPI_COMM_SELF);
  const axes<1> box{axis::inner(8)};
  std::vector<double> own(8);
  blocks<1> moved(grid);
  moved.send(field(device_cells.data(), box), inner_block(box), 0);
  moved.receive(field(own.data(), box), inner_block(box), 0);

  EXPECT_THAT([&] { moved.exchange(); },
              testing::ThrowsMessage<error>(testing::HasSubstr("lies in the memory of a GPU")));
}

/// All ranks send a block to the last one, rank 0 out of the memory of a device.
std::string error_from_rank_0(const exchange_options& how, double* on_device) {
  const cart<1> grid(MPI_COMM_WORLD);
  const axes<1> box{axis::inner(8)};
  std::vector<double> own(8);
  std::vector<double> into(8 * static_cast<std::size_t>(grid.size()));
  blocks<1> moved(grid, how);
  double* const from = grid.rank() == 0 ? on_device : own.data();
  const int last = grid.size() - 1;
  moved.send(field(from, box), inner_block(box), last);
  for (int rank = 0; rank < grid.size() && grid.rank() == last; ++rank) {
    moved.receive(field(into.data() + std::ptrdiff_t{8} * rank, box), inner_block(box), rank);
  }
  try {
    moved.exchange();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

TEST_F(DevicePointers, of_one_rank_are_refused_on_all) {
  for (const auto how : {packing::automatic, packing::direct}) {
    EXPECT_THAT(error_from_rank_0({.packing = how}, device_cells.data()),
                testing::HasSubstr("lies in the memory of a GPU"))
        << to_string(how);
  }
}

/// Sends a cell around a ring of ranks and, along the other dimension, to the rank itself.
void send_around(const cart<2>& grid, std::span<double, 4> cells) {
  channels<2> net(grid);
  const auto bytes_of = [&](std::size_t n) { return cells.subspan(n, 1); };
  net.send_to<1, 0>(std::as_bytes(bytes_of(0)));
  net.receive_from<-1, 0>(std::as_writable_bytes(bytes_of(1)));
  net.send_to<0, 1>(std::as_bytes(bytes_of(0)));
  net.receive_from<0, -1>(std::as_writable_bytes(bytes_of(2)));
  net.exchange();
}

TEST_F(DevicePointers, in_channels_are_left_to_an_mpi_that_reads_them) {
  const cart<2> grid(MPI_COMM_WORLD, {.dims = {any_number, 1}, .periodic = {true, true}});
  std::array<double, 4> own{grid.rank() + 1.0};
  const std::span<double, 4> on_device(device_cells.data(), 4);
  on_device[0] = own[0];
  const double from_before = (grid.rank() + grid.size() - 1) % grid.size() + 1.0;
  does_mpi_read_devices = true;
  num_carried_to_itself = 0;

  send_around(grid, own);
  EXPECT_EQ(num_carried_to_itself, 0);
  send_around(grid, on_device);

  EXPECT_EQ(num_carried_to_itself, grid.size() == 1 ? 2 : 1);
  EXPECT_EQ(on_device[1], from_before);
  EXPECT_EQ(on_device[2], own[0]);
  EXPECT_EQ(own[1], from_before);
}

TEST_F(DevicePointers, in_channels_are_refused_where_nothing_reads_them) {
  const cart<1> grid(MPI_COMM_SELF, {.periodic = {true}});
  const auto cell = std::as_bytes(std::span(device_cells).first(1));
  const auto refused_by = [&](carrier by) {
    std::string what = "nothing was thrown";
    try {
      channels<1>(grid, by).send_to<1>(cell);
    } catch (const error& thrown) {
      EXPECT_EQ(thrown.code(), errc::unsupported);
      what = thrown.what();
    }
    return what;
  };

  for (const carrier by : {carrier::one_sided, carrier::shared_memory}) {
    does_mpi_read_devices = true;
    EXPECT_THAT(refused_by(by), testing::HasSubstr("by the host; use carrier::messages"));
  }
#if defined(MPIX_CUDA_AWARE_SUPPORT) || defined(MPIX_GPU_SUPPORT_CUDA)
  does_mpi_read_devices = false;
  EXPECT_THAT(refused_by(carrier::messages),
              testing::HasSubstr("in the memory of a GPU, which this MPI cannot read (MPIX_"));
#endif
}

}  // namespace
}  // namespace weft::halo
