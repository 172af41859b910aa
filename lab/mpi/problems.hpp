// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems of the MPI suite: each reads its options, verifies, samples and writes its records.
#pragma once

#include <stdexcept>
#include <vector>

#include "lab/mpi/options.hpp"
#include "lab/mpi/placement.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

/// A wrong answer; nothing was timed.
class wrong_answer : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments of every problem. `is_functional`: ranks share CPUs, so that times mean nothing.
struct setting {
  const world& ranks;
  const std::vector<place>& places;
  options& given;
  bool is_functional;
};

/// `--impl sendrecv|isend|persistent|neighbor`, `--topology world|cart`: messages once around a
/// ring, in both directions. A call is a cycle.
void run_ring(const setting& with);

/// `--size Nx,Ny,Nz --topology px,py,pz --a 0|1 --layout linear|subarray --barrier yes|no --fresh
/// yes|no --cycles 50`: C = A + B scattered, added, gathered. A call is a cycle.
void run_sum3d(const setting& with);

/// `--mode pingpong|pingping|exchange|multipair|loggp|pairs --sizes ... --cache hot|cold`: a call
/// is one message of each pair.
void run_pingpong(const setting& with);

/// `--size n[,n,n] --topology px,py,pz --scaling strong|weak --exchange blocking|overlapped --halo
/// mpi|weft --verify-all yes|no`: a call is a sweep. `verify-all` checks every grid of that many
/// ranks.
void run_jacobi(const setting& with);

/// `--bytes n`: copy, triad and stencil of every rank at once. A call is a pass.
void run_bandwidth(const setting& with);

/// `--size n,n,n`: copies the faces of a block into buffers and back, each after a sweep. A call
/// packs and unpacks one face.
void run_pack(const setting& with);

}  // namespace weft::lab::mpi
