// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future by hpx::async, and its value.
#include <hpx/future.hpp>

int main() {
  return hpx::async([] { return 42; }).get() == 42 ? 0 : 1;
}
