// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pool that all weft approaches run on, and the description of their programs.
#pragma once

#include <string_view>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/tasks/backends/weft_runtime.hpp"

namespace weft::lab::approaches {

/// A call from the measuring thread, which is not a worker.
auto on_workers(const auto& body) {
  return tasks::workers->run([&body] { return body(); });
}

struct weft_pool {
  static void enter(const auto& body) { on_workers(body); }
};

inline backend weft_backend(std::string_view name, const operations& offered) {
  return {.name = name,
          .offered = offered,
          .libraries = [] { return stl::library_versions{stl::standard_library()}; },
          .with_threads = tasks::with_workers};
}

}  // namespace weft::lab::approaches
