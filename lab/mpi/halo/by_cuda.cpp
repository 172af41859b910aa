// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft's exchanges between GPUs, which are dealt to the ranks of a node in rotation. Fields are in
// CUDA's managed memory: hosts fill and check them, and repeated exchanges find them on the device.
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <mpi.h>

#include "weft/halo.hpp"
#include "weft/halo/cuda.hpp"

#include "lab/mpi/halo/problem.hpp"
#include "lab/mpi/halo/weft_cases.hpp"

namespace weft::lab::halo_bench {
namespace {

struct free_on_device {
  void operator()(double* memory) const { static_cast<void>(cudaFree(memory)); }
};

class managed_fields {
 public:
  explicit managed_fields(const problem& what) {
    const auto cells = static_cast<std::size_t>(what.length(0) * what.length(1) * what.length(2));
    for (int n = 0; n < what.num_fields; ++n) {
      void* made = nullptr;
      if (cudaMallocManaged(&made, cells * sizeof(double), cudaMemAttachGlobal) != cudaSuccess) {
        throw std::bad_alloc();
      }
      memory_.emplace_back(static_cast<double*>(made));
      all_.data.push_back(memory_.back().get());
    }
    all_.row_length = what.length(2);
  }
  [[nodiscard]] const fields& all() const noexcept { return all_; }

 private:
  std::vector<std::unique_ptr<double, free_on_device>> memory_;
  fields all_;
};

/// Deals the GPUs of a node to its ranks in rotation. Returns which GPU this rank has, and how many
/// ranks share it.
std::string choose_device(MPI_Comm all) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &num_ranks);
  MPI_Comm_free(&node);
  int num_devices = 0;
  cudaError_t code = cudaGetDeviceCount(&num_devices);
  const int device = num_devices > 0 ? rank % num_devices : 0;
  if (code == cudaSuccess) {
    code = cudaSetDevice(device);
  }
  if (code != cudaSuccess) {
    throw std::runtime_error("cudaSetDevice(" + std::to_string(device) +
                             "): " + cudaGetErrorString(code));
  }
  const int num_sharing = (num_ranks - 1 - device) / num_devices + 1;
  return "device " + std::to_string(device) + " of " + std::to_string(num_devices) + ", used by " +
         std::to_string(num_sharing) + " of the node's " + std::to_string(num_ranks) + " ranks\n";
}

class on_device final : public contestant {
 public:
  on_device(const problem& what, const place& where, const halo::cuda_options& options)
      : chosen_(choose_device(where.comm)),
        fields_(what),
        exchange_(
            halo::cart<3>::adopt(
                where.comm, {.periodic = {what.is_periodic, what.is_periodic, what.is_periodic}}),
            box_of(what),
            options) {}

  [[nodiscard]] const fields& cells() const override { return fields_.all(); }
  void start() override {
    under_way_.emplace(exchange_.start(nullptr, std::span<double* const>(fields_.all().data)));
  }
  void finish() override {
    under_way_->wait();
    under_way_.reset();
  }
  [[nodiscard]] std::string report() const override { return chosen_ + exchange_.report(); }

 private:
  std::string chosen_;  // chosen before anything is made on the device
  managed_fields fields_;
  halo::exchange<double, c_order, halo::cuda> exchange_;
  std::optional<halo::device_pending> under_way_;
};

template <halo::device_path path, std::ptrdiff_t chunk_bytes>
std::unique_ptr<contestant> make(const problem& what,
                                 const place& where,
                                 const own_fields& /*on*/) {
  return std::make_unique<on_device>(
      what, where, halo::cuda_options{.path = path, .chunk_bytes = chunk_bytes});
}

constexpr std::ptrdiff_t chunk_bytes = std::ptrdiff_t{1} << 20;
constexpr std::ptrdiff_t whole = halo::whole_messages;
constexpr std::array entries{
    entry{.name = "weft_cuda", .make = make<halo::device_path::automatic, chunk_bytes>},
    entry{.name = "weft_cuda_chunks", .make = make<halo::device_path::staged, chunk_bytes>},
    entry{.name = "weft_cuda_whole", .make = make<halo::device_path::staged, whole>},
};

}  // namespace

std::span<const entry> by_cuda() {
  int num_devices = 0;
  int has_device = cudaGetDeviceCount(&num_devices) == cudaSuccess && num_devices > 0 ? 1 : 0;
  // All ranks make the same exchanges, so if one rank has no GPU, none is used.
  MPI_Allreduce(MPI_IN_PLACE, &has_device, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return has_device == 1 ? std::span<const entry>(entries) : std::span<const entry>();
}

}  // namespace weft::lab::halo_bench
