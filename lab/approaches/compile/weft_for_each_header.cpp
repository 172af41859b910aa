// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time to read the header of weft::for_each.
#include <weft/algorithms/for_each.hpp>

int main() { return 0; }
