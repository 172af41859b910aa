// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem strassen by groups of tasks: one group for the seven products.
#pragma once

#include <cstddef>

#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/strassen/strassen.hpp"
#include "lab/inncabs/strassen/winograd.hpp"

namespace weft::lab::inncabs::strassen {

template <groups_runtime Runtime>
void multiply_by_groups(const product& what, std::size_t leaf) {
  if (what.n <= leaf) {
    multiply_directly(what);
    return;
  }
  const winograd_step step(what);
  typename Runtime::group tasks;
  for (std::size_t i = 0; i < winograd_step::num_products; ++i) {
    tasks.run([&step, i, leaf] {
      const winograd_part part(step, i);
      multiply_by_groups<Runtime>(part.whole(), leaf);
    });
  }
  tasks.wait();
  step.combine();
}

template <groups_runtime Runtime>
result run_groups(const input& in) {
  result made(in.n * in.n);
  multiply_by_groups<Runtime>(whole_product(in, made), in.leaf);
  return made;
}

}  // namespace weft::lab::inncabs::strassen
