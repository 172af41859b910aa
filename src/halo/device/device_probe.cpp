// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends patterns around a ring of ranks, and checks that they arrive unchanged.
#include "halo/device/device_probe.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/device/device.hpp"
#include "halo/plan/agree.hpp"

namespace weft::halo::detail {
namespace {

constexpr int tag_of_probe = grid::num_plan_tags;  // no exchange uses this tag
// MPI sends short and long messages by different protocols.
constexpr std::array<std::size_t, 3> sizes{64, 16384, std::size_t{1} << 20U};

bool is_agreed(const grid& processes, bool mine) {
  int all = mine ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, processes.comm()),
            "MPI_Allreduce");
  return all == 1;
}

/// Returns what `rank` sends in the probe: words that differ by rank and by place.
std::vector<std::uint64_t> words_of_rank(int rank, std::size_t bytes) {
  std::vector<std::uint64_t> made(bytes / sizeof(std::uint64_t));
  std::uint64_t word = static_cast<std::uint64_t>(rank) * 0x9E37'79B9'7F4A'7C15U;
  for (std::uint64_t& each : made) {
    each = word;
    word += 0xD1B5'4A32'D192'ED03U;
  }
  return made;
}

/// Copies device memory to the host, and waits.
void download(device& on, std::byte* into, const std::byte* from, std::size_t bytes) {
  const pinned_memory through = allocate_pinned_for(on, bytes);
  const owned_queue queue = queue_of(on);
  const owned_mark copied = mark_of(on);
  on.copy(through.get(), from, bytes, queue.get());
  on.record(copied.get(), queue.get());
  on.wait_here(copied.get());
  std::copy_n(through.get(), bytes, into);
}

struct ring_memory {
  device_memory sent;
  device_memory arrived;
};

ring_memory filled_memory(const grid& processes, device& on, std::size_t bytes) {
  const std::vector<std::uint64_t> sent = words_of_rank(processes.rank(), bytes);
  ring_memory made{.sent = allocate_on(on, bytes), .arrived = allocate_on(on, bytes)};
  on.upload(made.sent.get(), std::as_bytes(std::span(sent)).data(), bytes);
  return made;
}

int rank_before(const grid& processes) {
  return (processes.rank() + processes.size() - 1) % processes.size();
}

/// Returns false if MPI refuses.
bool goes_around(const grid& processes, const ring_memory& what, std::size_t bytes) {
  const int code = MPI_Sendrecv(what.sent.get(),
                                static_cast<int>(bytes),
                                MPI_BYTE,
                                (processes.rank() + 1) % processes.size(),
                                tag_of_probe,
                                what.arrived.get(),
                                static_cast<int>(bytes),
                                MPI_BYTE,
                                rank_before(processes),
                                tag_of_probe,
                                processes.comm(),
                                MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS;
}

bool is_right(const grid& processes, device& on, const std::byte* arrived, std::size_t bytes) {
  std::vector<std::uint64_t> here(bytes / sizeof(std::uint64_t));
  download(on, std::as_writable_bytes(std::span(here)).data(), arrived, bytes);
  return here == words_of_rank(rank_before(processes), bytes);
}

/// Returns the same result on all ranks. No rank waits for one whose device failed.
bool arrives(const grid& processes,
             device& on,
             std::size_t bytes,
             const std::source_location& where) {
  ring_memory memory;
  refuse_together(
      processes,
      trouble_of([&] { memory = filled_memory(processes, on, bytes); }, errc::device_call),
      where);
  bool is_well = goes_around(processes, memory, bytes);
  const auto look = [&] {
    is_well = is_well && is_right(processes, on, memory.arrived.get(), bytes);
  };
  refuse_together(processes, trouble_of(look, errc::device_call), where);
  return is_agreed(processes, is_well);
}

}  // namespace

mpi_verdict probe_mpi(const grid& processes,
                      device& on,
                      device_path path,
                      const std::source_location& where) {
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
    if (!arrives(processes, on, bytes, where)) {
      return {.is_aware = false,
              .why = support.why + ", but a message of " + std::to_string(bytes) +
                     " B between devices did not arrive as it was sent"};
    }
  }
  return {.is_aware = true, .why = support.why + ", and messages between devices arrive"};
}

}  // namespace weft::halo::detail
