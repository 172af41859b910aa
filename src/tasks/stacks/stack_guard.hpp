// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes memory below a stack inaccessible without running out of kernel mappings.
#pragma once

#include <cstddef>

#include "weft/tasks/detail/stacks/stack.hpp"

namespace weft::tasks::detail {

/// Returns the method to use for `wanted`, never `automatic`. Probes the kernel once.
///
/// Errors: weft::error when `wanted` is `madvise` and the kernel lacks it.
[[nodiscard]] guard_method resolve_guard_method(guard_method wanted);

/// Returns whether access to the range faults from now on. False if `method` is `none`, or the
/// process has as many mprotect guards as vm.max_map_count leaves room for.
[[nodiscard]] bool install_guard(std::byte* low,
                                 std::size_t size_bytes,
                                 guard_method method) noexcept;

/// Subtracts the guards from the count. Unmapping the memory removes them.
void forget_guards(std::size_t num_guards, guard_method method) noexcept;

}  // namespace weft::tasks::detail
