// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halo exchange between MPI processes: everything of weft::halo.
#pragma once

#include "weft/halo/axis.hpp"            // IWYU pragma: export
#include "weft/halo/blocks.hpp"          // IWYU pragma: export
#include "weft/halo/cart.hpp"            // IWYU pragma: export
#include "weft/halo/channels.hpp"        // IWYU pragma: export
#include "weft/halo/division.hpp"        // IWYU pragma: export
#include "weft/halo/error.hpp"           // IWYU pragma: export
#include "weft/halo/exchange.hpp"        // IWYU pragma: export
#include "weft/halo/exchange_any.hpp"    // IWYU pragma: export
#include "weft/halo/executor.hpp"        // IWYU pragma: export
#include "weft/halo/field.hpp"           // IWYU pragma: export
#include "weft/halo/global.hpp"          // IWYU pragma: export
#include "weft/halo/layout.hpp"          // IWYU pragma: export
#include "weft/halo/options.hpp"         // IWYU pragma: export
#include "weft/halo/pending.hpp"         // IWYU pragma: export
#include "weft/halo/shared_field.hpp"    // IWYU pragma: export
#include "weft/halo/shell.hpp"           // IWYU pragma: export
#include "weft/halo/subdomains.hpp"      // IWYU pragma: export
#include "weft/halo/subdomains_any.hpp"  // IWYU pragma: export
#include "weft/halo/tuning.hpp"          // IWYU pragma: export
#include "weft/halo/user_data.hpp"       // IWYU pragma: export
