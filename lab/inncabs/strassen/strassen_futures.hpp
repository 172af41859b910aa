// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem strassen by futures: one for each of the seven products.
#pragma once

#include <cstddef>

#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/strassen/strassen.hpp"
#include "lab/inncabs/strassen/winograd.hpp"

namespace weft::lab::inncabs::strassen {

template <futures_runtime Runtime>
void multiply_by_futures(const product& what, std::size_t leaf, typename Runtime::launch how) {
  if (what.n <= leaf) {
    multiply_directly(what);
    return;
  }
  const winograd_step step(what);
  joined_futures<typename Runtime::template future<void>> tasks(winograd_step::num_products);
  for (std::size_t i = 0; i < winograd_step::num_products; ++i) {
    tasks.add(Runtime::async(how, [&step, i, leaf, how] {
      const winograd_part part(step, i);
      multiply_by_futures<Runtime>(part.whole(), leaf, how);
    }));
  }
  tasks.join();
  step.combine();
}

template <futures_runtime Runtime>
result run_futures(const input& in, typename Runtime::launch how) {
  result made(in.n * in.n);
  multiply_by_futures<Runtime>(whole_product(in, made), in.leaf, how);
  return made;
}

}  // namespace weft::lab::inncabs::strassen
