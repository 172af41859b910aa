// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel packs, unpacks and copies: its index maps are those of device_moves.hpp.
#include <cuda_runtime_api.h>

#include "halo/device/cuda_kernels.hpp"
#include "halo/device/device.hpp"
#include "halo/device/device_moves.hpp"

namespace weft::halo::detail {
namespace {

/// The pointers are in constant memory, which a block may index by any variable.
__global__ void __launch_bounds__(threads_per_tile)
    move_tiles(const cell_move* __restrict__ moves,
               const move_tile* __restrict__ tiles,
               const __grid_constant__ move_pointers where) {
  const move_tile tile = tiles[blockIdx.x];
  move_part(moves[tile.move], where, tile.first_word, threadIdx.x);
}

}  // namespace

cudaError_t launch_moves(const device_moves& what,
                         const move_pointers& where,
                         cudaStream_t stream) {
  cudaLaunchConfig_t how{};
  how.gridDim = what.num_tiles;
  how.blockDim = threads_per_tile;
  how.stream = stream;
  // Not cudaGetLastError(): that may return an older error of other code.
  return cudaLaunchKernelEx(&how, move_tiles, what.moves, what.tiles, where);
}

}  // namespace weft::halo::detail
