// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Jacobi's iteration on GPUs, one per process, the inside computed while halos travel:
// mpirun -n 4 halo_jacobi_cuda
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <mpi.h>
#include <weft/halo/cuda.hpp>

namespace {

namespace halo = weft::halo;

constexpr std::ptrdiff_t cells = 24;  // per process and dimension
constexpr std::ptrdiff_t length = cells + 2;
constexpr std::size_t field_bytes = length * length * length * sizeof(double);

__device__ double relaxed(const double* from, std::ptrdiff_t at) {
  return (from[at - length * length] + from[at + length * length] + from[at - length] +
          from[at + length] + from[at - 1] + from[at + 1]) /
         6;
}

/// The cells whose halos are needed (`shell`), or all others.
__global__ void relax(const double* from, double* into, bool shell) {
  const auto i = static_cast<std::ptrdiff_t>(blockIdx.z) + 1;
  const auto j = static_cast<std::ptrdiff_t>(blockIdx.y * blockDim.y + threadIdx.y) + 1;
  const auto k = static_cast<std::ptrdiff_t>(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  const bool is_shell = i == 1 || i == cells || j == 1 || j == cells || k == 1 || k == cells;
  if (j <= cells && k <= cells && is_shell == shell) {
    const std::ptrdiff_t at = (i * length + j) * length + k;
    into[at] = relaxed(from, at);
  }
}

/// 1 on the face where the first index ends, falling linearly to 0: that is the solution, and what
/// the halos beyond the boundary hold.
double solution(const halo::cart<3>& grid, std::ptrdiff_t i) {
  return static_cast<double>(grid.position(0) * cells + i) /
         static_cast<double>(cells * grid.num_processes(0) + 1);
}

std::vector<double> first_guess(const halo::cart<3>& grid) {
  std::vector<double> made;
  for (std::ptrdiff_t i = 0; i < length; ++i) {
    for (std::ptrdiff_t j = 0; j < length; ++j) {
      for (std::ptrdiff_t k = 0; k < length; ++k) {
        const bool is_inner = i * j * k != 0 && i <= cells && j <= cells && k <= cells;
        made.push_back(is_inner ? 0 : solution(grid, i));
      }
    }
  }
  return made;
}

bool converges(const halo::cart<3>& grid) {
  const halo::axis along = halo::axis::inner(cells).halo(1);
  const halo::axes<3> box{along, along, along};
  std::vector<double> on_host = first_guess(grid);
  double* now = nullptr;
  double* next = nullptr;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaMalloc(&now, field_bytes);
  cudaMalloc(&next, field_bytes);
  cudaMemcpy(now, on_host.data(), field_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(next, on_host.data(), field_bytes, cudaMemcpyHostToDevice);
  const dim3 threads(32, 8);
  const dim3 blocks((cells + 31) / 32, (cells + 7) / 8, cells);

  halo::exchange<double, halo::layout::right<3>, halo::cuda> halos(
      grid, box, {.directions = halo::directions::faces});
  for (int step = 0; step < 20'000; ++step) {
    auto under_way = halos.start(stream, now);
    relax<<<blocks, threads, 0, stream>>>(now, next, false);
    under_way.then(stream);
    relax<<<blocks, threads, 0, stream>>>(now, next, true);
    std::swap(now, next);
  }

  cudaMemcpyAsync(on_host.data(), now, field_bytes, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double error = 0;
  for (std::ptrdiff_t i = 1; i <= cells; ++i) {
    const std::ptrdiff_t at = (i * length + cells / 2) * length + cells / 2;
    error = std::fmax(error, std::abs(on_host[static_cast<std::size_t>(at)] - solution(grid, i)));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, grid.communicator());
  cudaFree(now);
  cudaFree(next);
  cudaStreamDestroy(stream);
  if (grid.rank() == 0) {
    std::printf("wrong by %.1e\n%s", error, halos.report().c_str());
  }
  return error < 1e-3 && cudaGetLastError() == cudaSuccess;
}

/// Ranks of a node take its GPUs in turn. False: there is none.
bool choose_device() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_free(&node);
  int num_devices = 0;
  return cudaGetDeviceCount(&num_devices) == cudaSuccess && num_devices > 0 &&
         cudaSetDevice(rank % num_devices) == cudaSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int exit_code = 0;
  if (!choose_device()) {
    std::printf("skipped: no GPU\n");
    exit_code = 77;
  } else {
    try {
      exit_code = converges(halo::cart<3>(MPI_COMM_WORLD)) ? 0 : 1;
    } catch (const std::exception& failed) {
      std::fprintf(stderr, "%s\n", failed.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return exit_code;
}
