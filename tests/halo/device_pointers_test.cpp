// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host's exchange refuses memory of a GPU with a sentence, where it would have crashed.
#include "halo/device_pointers.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "weft/halo.hpp"

#include "halo/fake_cuda_driver.hpp"

namespace weft::halo {
namespace {

const std::byte* bytes_at(const double* cells) { return reinterpret_cast<const std::byte*>(cells); }

/// A driver that comes late, after somebody has looked for it in vain.
class fake_driver {
 public:
  fake_driver() {
    const std::vector<double> own(1);
    EXPECT_FALSE(detail::is_device_memory(bytes_at(own.data())));
    library_ = dlopen(WEFT_FAKE_CUDA_DRIVER, RTLD_NOW | RTLD_LOCAL);
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

}  // namespace
}  // namespace weft::halo
