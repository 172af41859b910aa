// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task of a graph of Taskflow, waited for.
#include <taskflow/taskflow.hpp>

int main() {
  int answer = 0;
  tf::Executor executor(2);
  tf::Taskflow graph;
  graph.emplace([&answer] { answer = 42; });
  executor.run(graph).wait();
  return answer == 42 ? 0 : 1;
}
