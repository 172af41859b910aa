// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a library with range algorithms only: its algorithms over numbers.
//
// `library` and WEFT_BENCH_LOOP_POLICY as in algorithm_members.hpp; here the policy lets a loop's
// body lock and use atomics.
#pragma once

#include "lab/bench/index_iterator.hpp"  // IWYU pragma: export

// A macro, because the members of each backend call its own `library`.
#define WEFT_BENCH_LOOPS                                                                        \
  void for_loop(std::size_t n, const auto& body) const {                                        \
    library::for_each(WEFT_BENCH_LOOP_POLICY index_iterator(0), index_iterator(n), body);       \
  }                                                                                             \
  template <class T>                                                                            \
  T reduce(std::size_t n, T init, const auto& map, const auto& combine) const {                 \
    return library::transform_reduce(                                                           \
        WEFT_BENCH_LOOP_POLICY index_iterator(0), index_iterator(n), init, combine, map);       \
  }                                                                                             \
  void fork_join(const auto& /*first*/, const auto& /*second*/) const { lacks(name, "tasks"); } \
  seq::group task_group() const { lacks(name, "tasks"); }
