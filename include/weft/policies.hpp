// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adaptive policies: all of weft::policies.
#pragma once

#include "weft/policies/every.hpp"         // IWYU pragma: export
#include "weft/policies/knobs.hpp"         // IWYU pragma: export
#include "weft/policies/policy.hpp"        // IWYU pragma: export
#include "weft/policies/readings.hpp"      // IWYU pragma: export
#include "weft/policies/throttle.hpp"      // IWYU pragma: export
#include "weft/policies/tuned.hpp"         // IWYU pragma: export
#include "weft/policies/tuner.hpp"         // IWYU pragma: export
#include "weft/policies/tuner_report.hpp"  // IWYU pragma: export
#include "weft/policies/when.hpp"          // IWYU pragma: export
