// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One kernel packs, unpacks and copies: its index maps are those of device_moves.hpp.
#include <cuda_runtime_api.h>

#include "halo/cuda_kernels.hpp"
#include "halo/device.hpp"
#include "halo/device_moves.hpp"

namespace weft::halo::detail {
namespace {

/// The pointers come as constant memory, which a block may index as it likes.
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
  move_tiles<<<what.num_tiles, threads_per_tile, 0, stream>>>(what.moves, what.tiles, where);
  return cudaGetLastError();
}

}  // namespace weft::halo::detail
