// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What neighbours tell each other when a plan is made, and whether they fit together.
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

/// What this rank knows of another one.
struct peer_facts {
  int rank = -1;
  std::vector<shape> fields = {};
  std::ptrdiff_t staging_bytes = 0;          // of one of its two staging areas
  std::vector<std::ptrdiff_t> regions = {};  // per phase: where in it lies what is for this rank
};

/// What this rank tells: `regions[phase]` belongs to `plan.phases[phase].links`.
struct own_facts {
  std::ptrdiff_t staging_bytes = 0;
  std::vector<std::vector<std::ptrdiff_t>> regions;
};

/// What is to be agreed upon.
struct agenda {
  const exchange_options& options;
  std::span<const shape> fields;
  const plan& what;
  flow way;
};

/// Tells all peers and hears from them. Errors: unless `options.validate` is `off`, `halo::error`
/// (`ranks_disagree`) on all ranks if descriptors of any two do not fit.
/// Threads: collective.
[[nodiscard]] std::vector<peer_facts> agree(const grid& processes,
                                            const agenda& about,
                                            const own_facts& own,
                                            const std::source_location& where);

/// If any rank has `trouble`, all throw: it their own, the others that of the first such rank.
/// Threads: collective.
void refuse_together(const grid& processes,
                     const refusal& trouble,
                     const std::source_location& where);

/// All ranks must say the same, line by line. Errors: `halo::error` (`ranks_disagree`) on all ranks
/// with the first line that differs, as rank 0 and as the first rank that differs from it has it.
/// Threads: collective.
void agree_on(const grid& processes,
              const std::vector<std::string>& lines,
              const std::source_location& where);

/// Calls it; errors get the place `where` instead of the library's line.
template <class Call>
decltype(auto) placed(const std::source_location& where, const Call& call) {
  try {
    return call();
  } catch (const error& thrown) {
    throw thrown.at(where);
  }
}

/// Does `work`, and makes what it throws a refusal, for `refuse_together`: with the code of a
/// `halo::error`, or `otherwise`.
[[nodiscard]] refusal trouble_of(const std::function<void()>& work, errc otherwise);

}  // namespace weft::halo::detail
