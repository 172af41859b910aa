// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where each rank runs, as the kernel reports it, and which hardware two ranks share.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

inline constexpr int cache_levels = 4;

/// One rank's place. Numbers are those of the first CPU that the rank may run on; -1 is unknown.
/// `cache_bytes` has the sizes of its data caches by level; -1 also means no such cache.
struct place {
  std::string host;
  std::vector<int> cpus;
  bool is_bound = false;  // the rank is bound to one core, with one or more of its hardware threads
  int core = -1;
  int l2 = -1;
  int l3 = -1;
  int numa = -1;
  int package = -1;
  std::array<long long, cache_levels> cache_bytes{-1, -1, -1, -1};
};

/// Returns the place of a process that may run on these CPUs. `known`: the kernel's folder of all
/// CPUs.
[[nodiscard]] place place_of(std::vector<int> cpus, const std::filesystem::path& known);

/// Returns this rank's place.
[[nodiscard]] place own_place();

/// Returns every rank's place, on every rank. Threads: collective.
[[nodiscard]] std::vector<place> all_places(const world& ranks);

/// Returns the closest thing that the two ranks share: `core`, `l2`, `l3`, `numa`, `package`,
/// `machine` (one host; nothing closer, or unknown) or `hosts`. Returns `unbound` if a rank may run
/// on more than one core.
[[nodiscard]] std::string pair_class(const place& first, const place& second);

/// Whether two ranks share a CPU and one of them has no other CPU: then they cannot run at the same
/// time.
[[nodiscard]] bool share_a_cpu(const std::vector<place>& places);

}  // namespace weft::lab::mpi
