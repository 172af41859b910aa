// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bench program of the suite `tasks` with the runtime it is linked with.
#include "lab/harness/experiment.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/suite.hpp"

int main(int argc, char** argv) {
  const weft::lab::tasks::task_suite suite(weft::lab::tasks::linked_backend());
  return weft::lab::bench_main(argc, argv, suite);
}
