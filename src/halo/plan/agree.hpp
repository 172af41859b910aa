// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that neighbours exchange when a plan is made, and the check that their plans match.
#pragma once

#include <cstddef>
#include <functional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// The data that this rank has about another one.
struct peer_facts {
  int rank = -1;
  std::vector<shape> fields = {};
  std::ptrdiff_t staging_bytes = 0;  // size of one of its two staging areas
  // per phase: offset in the area of the cells for this rank
  std::vector<std::ptrdiff_t> regions = {};
};

/// The data that this rank sends: `regions[phase]` belongs to `plan.phases[phase].links`.
struct own_facts {
  std::ptrdiff_t staging_bytes = 0;
  std::vector<std::vector<std::ptrdiff_t>> regions;
};

/// The subject of the agreement.
struct agenda {
  const exchange_options& options;
  std::span<const shape> fields;
  const plan& what;
  flow way;
};

/// Sends this rank's data to all peers and receives theirs.
/// Threads: collective.
/// Errors:  `halo::error` (`ranks_disagree`) on all ranks if descriptors of any two ranks do not
///          match, unless `options.validate` is `off`.
[[nodiscard]] std::vector<peer_facts> agree(const grid& processes,
                                            const agenda& about,
                                            const own_facts& own,
                                            const std::source_location& where);

/// If any rank has `trouble`, all ranks throw: a rank with trouble its own, the others that of the
/// first such rank.
/// Threads: collective.
void refuse_together(const grid& processes,
                     const refusal& trouble,
                     const std::source_location& where);

/// Compares a text of all ranks line by line. Errors: `halo::error` (`ranks_disagree`) on all ranks
/// that shows the first different line of rank 0 and of the first rank that differs from it.
/// Threads: collective.
void agree_on(const grid& processes,
              const std::vector<std::string>& lines,
              const std::source_location& where);

/// Calls it; errors name the place `where` instead of the library's line.
template <class Call>
decltype(auto) placed(const std::source_location& where, const Call& call) {
  try {
    return call();
  } catch (const error& thrown) {
    throw thrown.at(where);
  }
}

/// Calls `work`, and converts an exception to a refusal for `refuse_together`: with the code of a
/// `halo::error`, or `otherwise`.
[[nodiscard]] refusal trouble_of(const std::function<void()>& work, errc otherwise);

}  // namespace weft::halo::detail
