// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem round with one future per philosopher.
#pragma once

#include <cstddef>

#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/round/dining_table.hpp"
#include "lab/inncabs/round/round.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::round {

template <futures_runtime Runtime>
result run_futures(const input& of, typename Runtime::launch how) {
  dining_table<typename Runtime::mutex> table(of);
  joined_futures<typename Runtime::template future<void>> philosophers(of.num_philosophers());
  for (std::size_t i = 0; i < of.num_philosophers(); ++i) {
    philosophers.add(Runtime::async(how, [&table, i] {
      table.dine(i, [](auto& left, auto& right) { Runtime::lock(left, right); });
    }));
  }
  philosophers.join();
  return table.cleared();
}

}  // namespace weft::lab::inncabs::round
