// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future by weft::async, and its value.
#include <weft/tasks/async.hpp>

int main() {
  return weft::async([] { return 42; }).get() == 42 ? 0 : 1;
}
