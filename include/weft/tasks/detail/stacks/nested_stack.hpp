// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes on with a call on another stack where little room is left.
#pragma once

namespace weft::tasks::detail {

struct worker;

/// Runs `body` on another stack and comes back: the current one has little room left.
/// Errors: what `body` throws; `weft::error` if there is no address space for a stack.
void call_on_another_stack(worker& w, void (*body)(void* context), void* context);

}  // namespace weft::tasks::detail
