// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend hpx: HPX's parallel algorithms with hpx::execution::par.
#include <cstddef>

#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>
#include <hpx/numeric.hpp>
#include <hpx/runtime.hpp>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/hpx_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

template <class T>
operations<T> offered() {
  using hpx::execution::par;
  using in = const T*;
  return {
      .touch = [](T* first, T* last) { hpx::for_each(par, first, last, kernels::first_write{}); },
      .find = [](in first, in last, T value) { return hpx::find(par, first, last, value); },
      .for_each =
          [](T* first, T* last, std::size_t k_it) {
            const kernels::store_count kernel{k_it};
            hpx::for_each(par, first, last, kernel);
          },
      .inclusive_scan =
          [](in first, in last, T* out) { return hpx::inclusive_scan(par, first, last, out); },
      .reduce = [](in first, in last) { return hpx::reduce(par, first, last, T{}); },
      .sort = [](T* first, T* last) { hpx::sort(par, first, last); },
      .copy = [](in first, in last, T* out) { return hpx::copy(par, first, last, out); },
      .copy_if = [](in first,
                    in last,
                    T* out) { return hpx::copy_if(par, first, last, out, kernels::is_selected{}); },
      .transform = [](in first,
                      in last,
                      T* out) { return hpx::transform(par, first, last, out, kernels::scale{}); },
      .merge =
          [](in left, in left_last, in right, in right_last, T* out) {
            return hpx::merge(par, left, left_last, right, right_last, out);
          }};
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
