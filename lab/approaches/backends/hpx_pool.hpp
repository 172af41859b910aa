// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pool that all HPX approaches run on, and the description of their programs.
#pragma once

#include <string_view>

#include <hpx/runtime.hpp>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/hpx_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {

/// A call from the measuring thread, which is not one of HPX's.
auto on_hpx_threads(const auto& body) {
  return hpx::run_as_hpx_thread([&body] { return body(); });
}

struct hpx_pool {
  static void enter(const auto& body) {
    on_hpx_threads([&body] { body(); });
  }
};

inline backend hpx_backend(std::string_view name, const operations& offered) {
  return {.name = name,
          .offered = offered,
          .limit = {.max_tasks = stl::max_suspended_hpx_tasks(),
                    .reason = "every task that waits keeps a stack of its own, and memory ends"},
          .libraries = [] { return stl::library_versions{stl::hpx_library()}; },
          // HPX itself advises this: a guard page per stack exhausts the process's mappings.
          .with_threads =
              [](int threads, void (*body)(void*), void* context) {
                stl::with_hpx_threads(
                    threads, "hpx.stacks.use_guard_pages=0", [=] { body(context); });
              }};
}

}  // namespace weft::lab::approaches
