// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Returns the worker that the calling thread runs as.
#include "weft/tasks/detail/scheduler/self.hpp"

constinit thread_local weft::tasks::detail::worker* weft_current_worker = nullptr;

namespace weft::tasks::detail {

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
[[gnu::noinline]] worker* self() noexcept { return weft_current_worker; }
#endif

[[gnu::noinline]] void set_self(worker* current) noexcept { weft_current_worker = current; }

}  // namespace weft::tasks::detail
