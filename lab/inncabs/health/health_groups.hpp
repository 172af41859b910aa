// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem health with groups of tasks: in each step one group per village that has children.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/inncabs/health/guarded_country.hpp"
#include "lab/inncabs/health/health.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::health {

template <groups_runtime Runtime>
void step_groups(guarded_country<typename Runtime::mutex>& where, std::size_t village) {
  if (where.num_children(village) == 0) {
    where.treat(village);
    where.admit(village);
    return;
  }
  typename Runtime::group below;
  for (const std::size_t child : where.children(village)) {
    below.run([&where, child] { step_groups<Runtime>(where, child); });
  }
  where.treat(village);
  below.wait();
  where.admit(village);
}

template <groups_runtime Runtime>
result run_groups(const input& from) {
  guarded_country<typename Runtime::mutex> where(from);
  for (std::uint32_t i = 0; i < from.num_steps; ++i) {
    step_groups<Runtime>(where, country::capital);
  }
  return where.count();
}

}  // namespace weft::lab::inncabs::health
