// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sort with structured forks: the calling task does one of each two calls.
#pragma once

#include "lab/inncabs/forks.hpp"
#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/sort/merge_sort.hpp"
#include "lab/inncabs/sort/sort.hpp"

namespace weft::lab::inncabs::sort {

template <groups_runtime Runtime>
result run_groups(const input& from) {
  const fork_by_groups<Runtime> fork;
  return merge_sort(from, fork).run();
}

}  // namespace weft::lab::inncabs::sort
