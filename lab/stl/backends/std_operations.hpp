// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard parallel algorithms with one execution policy, for the backends that are a standard
// library.
#pragma once

#include <algorithm>
#include <cstddef>
#include <execution>
#include <numeric>

#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {

/// Shape: `policy` is a standard policy object with static storage duration.
template <class T, const auto& policy>
operations<T> std_operations() {
  using in = const T*;
  return {.touch = [](T* first,
                      T* last) { std::for_each(policy, first, last, kernels::first_write{}); },
          .find = [](in first, in last, T value) { return std::find(policy, first, last, value); },
          .for_each =
              [](T* first, T* last, std::size_t k_it) {
                const kernels::store_count kernel{k_it};
                std::for_each(policy, first, last, kernel);
              },
          .inclusive_scan = [](in first,
                               in last,
                               T* out) { return std::inclusive_scan(policy, first, last, out); },
          .reduce = [](in first, in last) { return std::reduce(policy, first, last); },
          .sort = [](T* first, T* last) { std::sort(policy, first, last); },
          .copy = [](in first, in last, T* out) { return std::copy(policy, first, last, out); },
          .copy_if =
              [](in first, in last, T* out) {
                return std::copy_if(policy, first, last, out, kernels::is_selected{});
              },
          .transform =
              [](in first, in last, T* out) {
                return std::transform(policy, first, last, out, kernels::scale{});
              },
          .merge =
              [](in left, in left_last, in right, in right_last, T* out) {
                return std::merge(policy, left, left_last, right, right_last, out);
              }};
}

}  // namespace weft::lab::stl
