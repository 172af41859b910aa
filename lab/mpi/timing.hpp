// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples that all ranks take together: rank 0 decides how many, and each takes the slowest rank's
// time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "lab/mpi/options.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

/// Seconds per call. `samples_s`: each sample's time on the slowest rank; the same on every rank.
struct timed {
  std::vector<double> samples_s;
  std::vector<double> own_s;  // this rank's
  std::size_t calls_per_sample = 1;
};

/// Returns the seconds of a clock that never goes back.
[[nodiscard]] double now_s();

/// Warms up `body` until two successive batches agree, then samples it.
///
/// A sample is a batch of calls, begun after a barrier, and long enough for the clock on the
/// slowest rank. Rank 0 decides how many samples there are and tells the others, so that no rank
/// waits for one that has continued. With `how.calls`, the warm-up is a tenth of the calls, at
/// least ten.
/// Threads: collective.
[[nodiscard]] timed sample(const world& ranks,
                           const sampling& how,
                           const std::function<void()>& body);

/// As `sample`, with one call each. `body` times itself and returns its seconds.
[[nodiscard]] timed sample_own(const world& ranks,
                               const sampling& how,
                               const std::function<double()>& body);

/// Returns the median. Precondition: there is at least one value.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace weft::lab::mpi
