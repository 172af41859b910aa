// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a call on another stack if the current one has little room left.
#pragma once

namespace weft::tasks::detail {

struct worker;

/// Runs `body` on another stack and returns, because the current stack has little room left.
/// Errors: what `body` throws; `weft::error` if there is no address space for a stack.
void call_on_another_stack(worker& w, void (*body)(void* context), void* context);

}  // namespace weft::tasks::detail
