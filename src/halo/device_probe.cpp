// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns that travel in a ring and must arrive as they were.
#include "halo/device_probe.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/grid.hpp"

#include "halo/device.hpp"

namespace weft::halo::detail {
namespace {

constexpr int tag_of_probe = grid::num_plan_tags;  // no exchange under way has it
// Short messages and long ones travel in different ways.
constexpr std::array<std::size_t, 3> sizes{64, 16384, std::size_t{1} << 20U};

bool is_agreed(const grid& processes, bool mine) {
  int all = mine ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, processes.comm()),
            "MPI_Allreduce");
  return all == 1;
}

std::byte pattern(int rank, std::size_t index) {
  return static_cast<std::byte>((index * 7 + index / 251 + static_cast<std::size_t>(rank) * 13) %
                                256);
}

/// Copies device memory here, and waits.
void download(device& on, std::byte* into, const std::byte* from, std::size_t bytes) {
  const pinned_memory through = allocate_pinned_for(on, bytes);
  const owned_queue queue = queue_of(on);
  const owned_mark copied = mark_of(on);
  on.copy(through.get(), from, bytes, queue.get());
  on.record(copied.get(), queue.get());
  on.wait_here(copied.get());
  std::copy_n(through.get(), bytes, into);
}

bool arrives(const grid& processes, device& on, std::size_t bytes) {
  const int next = (processes.rank() + 1) % processes.size();
  const int previous = (processes.rank() + processes.size() - 1) % processes.size();
  std::vector<std::byte> sent(bytes);
  for (std::size_t n = 0; n < bytes; ++n) {
    sent[n] = pattern(processes.rank(), n);
  }
  const device_memory from = allocate_on(on, bytes);
  const device_memory into = allocate_on(on, bytes);
  on.upload(from.get(), sent.data(), bytes);
  const int code = MPI_Sendrecv(from.get(),
                                static_cast<int>(bytes),
                                MPI_BYTE,
                                next,
                                tag_of_probe,
                                into.get(),
                                static_cast<int>(bytes),
                                MPI_BYTE,
                                previous,
                                tag_of_probe,
                                processes.comm(),
                                MPI_STATUS_IGNORE);
  if (code != MPI_SUCCESS) {
    return false;
  }
  std::vector<std::byte> arrived(bytes);
  download(on, arrived.data(), into.get(), bytes);
  for (std::size_t n = 0; n < bytes; ++n) {
    if (arrived[n] != pattern(previous, n)) {
      return false;
    }
  }
  return true;
}

}  // namespace

mpi_verdict probe_mpi(const grid& processes, device& on, device_path path) {
  if (path == device_path::staged) {
    return {.is_aware = false, .why = "path staged was asked for"};
  }
  const mpi_support support = on.support_of_mpi();
  const bool may_try =
      support.says == mpi_support::answer::yes ||
      (support.says == mpi_support::answer::unknown && path == device_path::gpu_aware);
  if (!is_agreed(processes, may_try)) {
    return {.is_aware = false,
            .why = may_try ? "MPI of another rank does not read it" : support.why};
  }
  for (const std::size_t bytes : sizes) {
    if (!is_agreed(processes, arrives(processes, on, bytes))) {
      return {.is_aware = false,
              .why = support.why + ", but a message of " + std::to_string(bytes) +
                     " B between devices did not arrive as it was sent"};
    }
  }
  return {.is_aware = true, .why = support.why + ", and messages between devices arrive"};
}

}  // namespace weft::halo::detail
