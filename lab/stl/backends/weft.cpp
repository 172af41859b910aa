// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend weft: weft::algorithms with weft::par_unseq, called by a thread that is no worker.
#include <memory>

#include "weft/algorithms.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/versions.hpp"

namespace weft::lab::stl {
namespace library = weft;
namespace {
std::unique_ptr<runtime> workers;
}
}  // namespace weft::lab::stl
#define WEFT_STL_POLICY weft::par_unseq.on(*workers),
#include "lab/stl/backends/library_operations.hpp"

namespace weft::lab::stl {
namespace {

void with_threads(int threads, void (*body)(void* context), void* context) {
  runtime_options options;
  options.workers = threads;
  workers = std::make_unique<runtime>(options);
  body(context);
  workers.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_backend{
      .name = "weft",
      .scratch = {.sort = 1.0, .copy_if = 0.5, .others = 0.0},
      .typed_operations = {library_operations<int>(),
                           library_operations<float>(),
                           library_operations<double>()},
      .libraries = [] { return library_versions{standard_library()}; },
      .with_threads = with_threads};
  return weft_backend;
}

}  // namespace weft::lab::stl
