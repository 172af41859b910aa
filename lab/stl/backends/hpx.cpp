// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend hpx: HPX's parallel algorithms with hpx::execution::par.
#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>
#include <hpx/memory.hpp>
#include <hpx/numeric.hpp>
#include <hpx/runtime.hpp>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/hpx_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace library = hpx;
}
#define WEFT_STL_POLICY hpx::execution::par,
#include "lab/stl/backends/library_operations.hpp"
#include "lab/stl/backends/walked_operations.hpp"

namespace weft::lab::stl {
namespace {

/// HPX's sort, a quicksort, has no buffer.
template <class T>
operations<T> offered() {
  operations<T> all = library_operations<T>();
  offer_walked(all);
  all.sort_in_place = [](T* first, T* last) {
    hpx::sort(WEFT_STL_POLICY first, last, kernels::precedes{});
  };
  return all;
}

/// The body verifies, samples and writes records, so its thread gets a stack of ordinary size.
void with_threads(int threads, void (*body)(void* context), void* context) {
  with_hpx_threads(threads, "hpx.stacks.small_size=0x100000", [=] {
    hpx::run_as_hpx_thread([=] { body(context); });
  });
}

}  // namespace

const backend& linked_backend() {
  static const backend hpx_backend{
      .name = "hpx",
      .scratch = {.sort = 1.0, .copy_if = 0.5, .others = 0.5},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{hpx_library()}; },
      .with_threads = with_threads};
  return hpx_backend;
}

}  // namespace weft::lab::stl
