// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time to read the standard library's sequential algorithms and weft's tasks.
#include <algorithm>
#include <numeric>

#include <weft/tasks/async.hpp>
#include <weft/tasks/runtime.hpp>

int main() { return 0; }
