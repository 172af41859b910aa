// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which packing and schedule is fastest here: what `tune` tries, finds, and keeps in a file.
#pragma once

#include <string>
#include <vector>

#include "weft/halo/options.hpp"

namespace weft::halo {

/// One way to do an exchange.
struct candidate {
  halo::packing packing = halo::packing::automatic;
  halo::schedule schedule = halo::schedule::automatic;

  bool operator==(const candidate&) const = default;
};

/// The options of `tune`. The same on all ranks.
struct tuning_options {
  std::vector<candidate> candidates = {};  // empty: all that can do what the exchange is for
  int num_samples = 9;                     // of each of the best three; at least 1
  /// Keeps choices between runs; empty keeps none. If the file has the choice for such an exchange
  /// and these candidates, nothing is timed. Otherwise `tune` adds its choice. Rank 0 reads and
  /// writes the file.
  std::string file = {};
};

/// The result of `tune`.
struct tuning {
  struct timed {
    candidate what;
    double seconds = 0;  // of one exchange on the slowest rank: the median of its samples
  };

  candidate best = {};
  double seconds = 0;             // of one exchange by `best`
  bool is_from_file = false;      // then nothing was timed
  std::vector<timed> tried = {};  // in the order of the candidates
  std::string key = {};           // all that the choice depends on
};

}  // namespace weft::halo
