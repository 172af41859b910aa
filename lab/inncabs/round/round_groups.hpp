// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem round with one group of all philosophers.
#pragma once

#include <cstddef>

#include "lab/inncabs/round/dining_table.hpp"
#include "lab/inncabs/round/round.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::round {

template <groups_runtime Runtime>
result run_groups(const input& of) {
  dining_table<typename Runtime::mutex> table(of);
  typename Runtime::group philosophers;
  for (std::size_t i = 0; i < of.num_philosophers(); ++i) {
    philosophers.run([&table, i] {
      table.dine(i, [](auto& left, auto& right) { Runtime::lock(left, right); });
    });
  }
  philosophers.wait();
  return table.cleared();
}

}  // namespace weft::lab::inncabs::round
