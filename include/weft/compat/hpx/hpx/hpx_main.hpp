// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the program's main as a task: link weft::hpx_compat, which redirects it.
#pragma once

#include <hpx/runtime.hpp>  // IWYU pragma: export

namespace hpx::compat {

/// From now on `main` runs as a task.
bool wrap_main() noexcept;

inline const bool is_main_wrapped = wrap_main();

}  // namespace hpx::compat

#if defined(WEFT_HAS_LOCALITIES)
#include <hpx/distributed.hpp>  // IWYU pragma: export
#endif
