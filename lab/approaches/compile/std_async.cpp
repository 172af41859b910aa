// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A future by std::async, and its value.
#include <future>

int main() {
  return std::async(std::launch::async, [] { return 42; }).get() == 42 ? 0 : 1;
}
