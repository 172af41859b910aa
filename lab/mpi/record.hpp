// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The output of the program: one JSON line for itself, one per result, one for a failure.
#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "lab/mpi/placement.hpp"
#include "lab/mpi/timing.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

/// Writes the program's record: library, compiler, ranks and where they run. Only rank 0 writes.
void say_program(const world& ranks, const std::vector<place>& places, bool is_functional);

/// Writes a result with its samples and each rank's median. Threads: collective.
void say_result(const world& ranks,
                const nlohmann::json& what,
                const timed& times,
                bool is_functional);

/// Writes a failure: `status` is `wrong`, `error` or `refused`.
void say_failure(std::string_view status, std::string_view message);

}  // namespace weft::lab::mpi
