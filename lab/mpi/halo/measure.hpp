// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks contestants, then times them with interleaved samples.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/mpi/halo/options.hpp"
#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {

/// A series of samples, one kind of time each. Units: seconds per exchange.
struct series {
  std::string_view name;
  std::vector<double> samples_s;
};

/// The result of one contestant: its samples, and the first wrong cell if there is one.
struct finding {
  std::string_view contestant;
  std::string mismatch;  // first wrong cell of any rank
  int calls_per_sample = 1;
  std::vector<std::ptrdiff_t> num_planes;  // planes computed beside an exchange, of each sample
  std::vector<series> times;  // `exchange`; `pack`, `transfer`, `unpack`; or `alone`, `compute`,
                              // `in_turn`, `together`, `progressed`, each of these three with
                              // `..._exchanging`, the part in the contestant's calls, which
                              // wait for what is left to arrive, too
  std::string report;         // of this rank
};

/// All contestants of one case. Threads: collective.
///
/// Times are those of the slowest rank. Times of steps and other parts are the mean of all ranks,
/// so that they add up.
[[nodiscard]] std::vector<finding> measure(const options& how,
                                           const problem& what,
                                           const place& where,
                                           const std::vector<entry>& entries);

}  // namespace weft::lab::halo_bench
