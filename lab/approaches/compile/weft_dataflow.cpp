// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node of a graph, and its value.
#include <weft/tasks/dataflow.hpp>

int main() {
  return weft::dataflow([] { return 42; }).get() == 42 ? 0 : 1;
}
