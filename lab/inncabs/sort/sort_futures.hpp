// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sort with futures: one for each part, merge and half of a merge.
#pragma once

#include "lab/inncabs/forks.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/sort/merge_sort.hpp"
#include "lab/inncabs/sort/sort.hpp"

namespace weft::lab::inncabs::sort {

template <futures_runtime Runtime>
result run_futures(const input& from, typename Runtime::launch how) {
  const fork_by_futures<Runtime> fork(how);
  return merge_sort(from, fork).run();
}

}  // namespace weft::lab::inncabs::sort
