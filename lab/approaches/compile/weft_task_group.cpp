// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task of a group, waited for.
#include <weft/tasks/task_group.hpp>

int main() {
  int answer = 0;
  weft::task_group group;
  group.run([&answer] { answer = 42; });
  group.wait();
  return answer == 42 ? 0 : 1;
}
