// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDPL's algorithms with its host policy par_unseq, for the backends that differ in what runs it.
#pragma once

#include <cstddef>
#include <string>

#include <oneapi/dpl/algorithm>
#include <oneapi/dpl/execution>
#include <oneapi/dpl/numeric>
#include <oneapi/dpl/version>

#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {

template <class T>
operations<T> onedpl_operations() {
  namespace dpl = oneapi::dpl;
  using dpl::execution::par_unseq;
  using in = const T*;
  return {
      .touch = [](T* first,
                  T* last) { dpl::for_each(par_unseq, first, last, kernels::first_write{}); },
      .find = [](in first, in last, T value) { return dpl::find(par_unseq, first, last, value); },
      .for_each =
          [](T* first, T* last, std::size_t k_it) {
            const kernels::store_count kernel{k_it};
            dpl::for_each(par_unseq, first, last, kernel);
          },
      .inclusive_scan = [](in first,
                           in last,
                           T* out) { return dpl::inclusive_scan(par_unseq, first, last, out); },
      .reduce = [](in first, in last) { return dpl::reduce(par_unseq, first, last); },
      .sort = [](T* first, T* last) { dpl::sort(par_unseq, first, last); },
      .copy = [](in first, in last, T* out) { return dpl::copy(par_unseq, first, last, out); },
      .copy_if =
          [](in first, in last, T* out) {
            return dpl::copy_if(par_unseq, first, last, out, kernels::is_selected{});
          },
      .transform =
          [](in first, in last, T* out) {
            return dpl::transform(par_unseq, first, last, out, kernels::scale{});
          },
      .merge =
          [](in left, in left_last, in right, in right_last, T* out) {
            return dpl::merge(par_unseq, left, left_last, right, right_last, out);
          }};
}

inline library_versions::value_type onedpl_library() {
  return {"oneDPL",
          std::to_string(ONEDPL_VERSION_MAJOR) + "." + std::to_string(ONEDPL_VERSION_MINOR) + "." +
              std::to_string(ONEDPL_VERSION_PATCH)};
}

}  // namespace weft::lab::stl
