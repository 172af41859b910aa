// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples that all ranks take together: as many as rank 0 says, each as long as the slowest rank's.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "lab/mpi/options.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

/// Seconds per call. `samples_s`: the slowest rank of each sample, on every rank.
struct timed {
  std::vector<double> samples_s;
  std::vector<double> own_s;  // this rank's
  std::size_t calls_per_sample = 1;
};

/// Seconds of a clock that never goes back.
[[nodiscard]] double now_s();

/// Warms `body` up until two batches in a row agree, then samples it.
///
/// A sample is a batch of calls long enough for the clock, by the slowest rank, begun after a
/// barrier. Rank 0 decides how many there are and tells the others, so that no rank waits for one
/// that has gone on. With `how.calls`, a tenth of them, at least ten, is all that warms up.
/// Threads: collective.
[[nodiscard]] timed sample(const world& ranks,
                           const sampling& how,
                           const std::function<void()>& body);

/// As `sample`, one call each, timed by `body` itself: it returns its seconds.
[[nodiscard]] timed sample_own(const world& ranks,
                               const sampling& how,
                               const std::function<double()>& body);

/// The middle value; 0 values have none and are a precondition.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace weft::lab::mpi
