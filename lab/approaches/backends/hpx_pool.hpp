// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pool that all approaches of HPX run on, and what their programs say of themselves.
#pragma once

#include <string_view>

#include <hpx/runtime.hpp>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/hpx_threads.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::approaches {

/// A call from the thread that measures, which is none of HPX's.
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
          // A guard page per stack exhausts the process's mappings; so advises HPX itself.
          .with_threads =
              [](int threads, void (*body)(void*), void* context) {
                stl::with_hpx_threads(
                    threads, "hpx.stacks.use_guard_pages=0", [=] { body(context); });
              }};
}

}  // namespace weft::lab::approaches
