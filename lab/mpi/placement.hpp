// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where each rank runs, as the kernel says, and what lies between two of them.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

inline constexpr int cache_levels = 4;

/// One rank's place. Numbers are those of the first CPU it may run on; -1 is unknown, or, of
/// `cache_bytes`, the sizes of its data caches by level, a cache that it does not have.
struct place {
  std::string host;
  std::vector<int> cpus;
  bool is_bound = false;  // to one core; all of its hardware threads may be allowed
  int core = -1;
  int l2 = -1;
  int l3 = -1;
  int numa = -1;
  int package = -1;
  std::array<long long, cache_levels> cache_bytes{-1, -1, -1, -1};
};

/// The place of a process that may run on these CPUs. `known`: the kernel's folder of all CPUs.
[[nodiscard]] place place_of(std::vector<int> cpus, const std::filesystem::path& known);

/// This rank's place.
[[nodiscard]] place own_place();

/// Every rank's place, on every rank. Threads: collective.
[[nodiscard]] std::vector<place> all_places(const world& ranks);

/// `core`, `l2`, `l3`, `numa`, `package`, `machine` (one host, further unknown or apart) or
/// `hosts`: the closest thing the two share. `unbound` where a rank may run on more than one core.
[[nodiscard]] std::string pair_class(const place& first, const place& second);

/// Whether two ranks have a CPU in common and one of them no other: they take turns.
[[nodiscard]] bool share_a_cpu(const std::vector<place>& places);

}  // namespace weft::lab::mpi
