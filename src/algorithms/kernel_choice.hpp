// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instructions the compiled kernels use: the widest, unless a test wants to see the others.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace weft::algorithms::detail {

/// Instruction sets that the kernels of compress.cpp know.
enum class compress_kernel : unsigned char { unknown, plain, avx2, avx512 };

/// `unknown` until somebody asks. Relaxed: each choice works.
extern std::atomic<compress_kernel> chosen_compress_kernel;

/// The widest that this machine can run.
[[nodiscard]] compress_kernel best_compress_kernel() noexcept;

/// The chosen one. Cost: a load, after the first call.
[[nodiscard]] compress_kernel kernel_to_use() noexcept;

/// Names of the sets of instructions that kernels were compiled for and that run here, the widest
/// first. `plain` is what is used where there is nothing better.
[[nodiscard]] std::vector<std::string> kernel_targets();

/// Kernels called from now on use this set, one of `kernel_targets()`, or those of it that have it;
/// an empty name: the widest again. For tests, while no algorithm runs.
void use_kernel_target(const std::string& name);

}  // namespace weft::algorithms::detail
