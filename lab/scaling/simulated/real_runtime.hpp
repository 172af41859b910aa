// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a simulated program on the real runtime, to compare their times.
#pragma once

#include "lab/scaling/simulated/model_options.hpp"

namespace weft::lab::scaling::simulated {

/// Returns the shortest of many calls of the tree or the UTS tree in `options`, by as many workers.
///
/// Every body is a computation that takes `options.work.body` alone. If the simulation starts with
/// parked workers, so does each call here. The shortest call is the one that other programs of this
/// machine disturbed least.
/// Errors:  `weft::error` for another workload.
nanoseconds shortest_real_call(const model_options& options);

}  // namespace weft::lab::scaling::simulated
