// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A std::thread that is joined.
#include <thread>

int main() {
  int answer = 0;
  std::thread([&answer] { answer = 42; }).join();
  return answer == 42 ? 0 : 1;
}
