// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem health with futures: in each step one per child village.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/inncabs/health/guarded_country.hpp"
#include "lab/inncabs/health/health.hpp"
#include "lab/inncabs/joined_futures.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::health {

template <futures_runtime Runtime>
void step_futures(guarded_country<typename Runtime::mutex>& where,
                  std::size_t village,
                  typename Runtime::launch how) {
  joined_futures<typename Runtime::template future<void>> below(where.num_children(village));
  for (const std::size_t child : where.children(village)) {
    below.add(
        Runtime::async(how, [&where, child, how] { step_futures<Runtime>(where, child, how); }));
  }
  where.treat(village);
  below.join();
  where.admit(village);
}

template <futures_runtime Runtime>
result run_futures(const input& from, typename Runtime::launch how) {
  guarded_country<typename Runtime::mutex> where(from);
  for (std::uint32_t i = 0; i < from.num_steps; ++i) {
    step_futures<Runtime>(where, country::capital, how);
  }
  return where.count();
}

}  // namespace weft::lab::inncabs::health
