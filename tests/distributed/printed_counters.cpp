// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose ranks call each other, for tests of counters that it prints.
#include <chrono>
#include <iostream>

#include "weft/distributed.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/this_task.hpp"

namespace wd = weft::distributed;

namespace {

int doubled(int number) { return 2 * number; }

}  // namespace

int main(int argc, char** argv) {
  const wd::runtime job(argc, argv);
  if (wd::here().rank() != 0) {
    weft::this_task::sleep_for(std::chrono::milliseconds(100));  // rank 0 has ended its part
  }
  const wd::locality next((wd::here().rank() + 1) % wd::num_localities());
  for (int i = 0; i < 5; ++i) {
    if (wd::async<&doubled>(next, i).get() != 2 * i) {
      std::cerr << "wrong answer\n";
      return 1;
    }
  }
  return 0;
}
