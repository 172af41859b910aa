// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the candidate ways of one exchange, on all ranks together.
#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <span>
#include <string>

#include "weft/halo/detail/engine.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"
#include "weft/halo/tuning.hpp"

namespace weft::halo::detail {

/// The exchange to tune: these fields, with these options except packing and schedule.
struct tuned_exchange {
  std::shared_ptr<grid> processes;
  const exchange_options& options;
  std::span<const shape> fields;
  std::span<std::byte* const> pointers;
};

/// Returns a text with everything that the fastest way depends on, the same on all ranks.
/// Threads: collective.
[[nodiscard]] std::string tuning_key(const tuned_exchange& about);

struct tuned {
  tuning found;
  std::shared_ptr<engine> fastest;
};

/// Threads: collective.
/// Errors:  `halo::error` on all ranks alike.
[[nodiscard]] tuned tune(const tuned_exchange& about,
                         const tuning_options& how,
                         const std::source_location& where);

}  // namespace weft::halo::detail
