// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads and version of oneTBB, for the backends that run on it.
#pragma once

#include <cstddef>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {

/// Runs `body` in an arena of `threads` threads, including the calling thread.
///
/// The arena alone cannot exceed the number of the machine's CPUs, so the global limit is raised as
/// well.
inline void with_tbb_threads(int threads, void (*body)(void* context), void* context) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([=] { body(context); });
}

inline library_versions::value_type tbb_library() { return {"oneTBB", TBB_runtime_version()}; }

}  // namespace weft::lab::stl
