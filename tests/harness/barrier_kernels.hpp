// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that a compiler would like to delete.
#pragma once

#include <cstddef>

namespace weft::lab::testing {

void kept_find(const double* first, const double* last, std::size_t num_calls);
/// Without a barrier: the compiler deletes it, which proves that the test would notice.
void deleted_find(const double* first, const double* last, std::size_t num_calls);
void kept_root(double value, std::size_t num_calls);
void kept_local_sum(std::size_t num_calls);

}  // namespace weft::lab::testing
