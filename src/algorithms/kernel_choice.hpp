// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction set the compiled kernels use: the widest, unless a test chooses another one.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace weft::algorithms::detail {

/// Instruction sets that compress.cpp has kernels for.
enum class compress_kernel : unsigned char { unknown, plain, avx2, avx512 };

/// `unknown` until the first call. Relaxed: every choice gives right results.
extern std::atomic<compress_kernel> chosen_compress_kernel;

/// Returns the widest set that this machine can run.
[[nodiscard]] compress_kernel best_compress_kernel() noexcept;

/// Returns the chosen set. Cost: a load, after the first call.
[[nodiscard]] compress_kernel kernel_to_use() noexcept;

/// Returns the names of the instruction sets that kernels were compiled for and that this machine
/// runs, the widest first. `plain` is the set that every machine has.
[[nodiscard]] std::vector<std::string> kernel_targets();

/// Makes later calls of kernels use this set, which is one of `kernel_targets()`. Kernels that lack
/// the set do not change. An empty name selects the widest set again. For tests, while no algorithm
/// runs.
void use_kernel_target(const std::string& name);

}  // namespace weft::algorithms::detail
