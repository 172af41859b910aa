// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend seq: the standard library's sequential algorithms, the baseline of every speed-up.
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

template <class T>
operations<T> offered() {
  using in = const T*;
  return {.touch = [](T* first, T* last) { std::for_each(first, last, kernels::first_write{}); },
          .find = [](in first, in last, T value) { return std::find(first, last, value); },
          .for_each =
              [](T* first, T* last, std::size_t k_it) {
                const kernels::store_count kernel{k_it};
                std::for_each(first, last, kernel);
              },
          .inclusive_scan =
              [](in first, in last, T* out) { return std::inclusive_scan(first, last, out); },
          .reduce = [](in first, in last) { return std::reduce(first, last); },
          .sort = [](T* first, T* last) { std::sort(first, last); },
          .copy = [](in first, in last, T* out) { return std::copy(first, last, out); },
          .copy_if = [](in first,
                        in last,
                        T* out) { return std::copy_if(first, last, out, kernels::is_selected{}); },
          .transform = [](in first,
                          in last,
                          T* out) { return std::transform(first, last, out, kernels::scale{}); },
          .merge =
              [](in left, in left_last, in right, in right_last, T* out) {
                return std::merge(left, left_last, right, right_last, out);
              }};
}

}  // namespace

const backend& linked_backend() {
  static const backend seq{
      .name = "seq",
      .is_serial = true,
      .scratch = {.sort = 0.0, .copy_if = 0.0, .others = 0.0},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return seq;
}

}  // namespace weft::lab::stl
