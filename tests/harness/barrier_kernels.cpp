// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose only effect is a kept value: what the compiler leaves of them is what barrier_test
// disassembles and times.
#include "harness/barrier_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lab/harness/keep.hpp"

namespace weft::lab::testing {

void kept_find(const double* first, const double* last, std::size_t num_calls) {
  for (std::size_t i = 0; i < num_calls; ++i) {
    keep(std::find(first, last, 1.0));
  }
}

void deleted_find(const double* first, const double* last, std::size_t num_calls) {
  for (std::size_t i = 0; i < num_calls; ++i) {
    static_cast<void>(std::find(first, last, 1.0));
  }
}

void kept_root(double value, std::size_t num_calls) {
  for (std::size_t i = 0; i < num_calls; ++i) {
    keep(value);
    keep(std::sqrt(value));
  }
}

void kept_local_sum(std::size_t num_calls) {
  double values[64] = {};
  keep(&values[0]);  // from here on, others may write them
  for (std::size_t i = 0; i < num_calls; ++i) {
    double sum = 0;
    for (const double value : values) {
      sum += value;
    }
    keep(sum);
  }
}

}  // namespace weft::lab::testing
