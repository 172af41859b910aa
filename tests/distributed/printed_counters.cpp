// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose ranks call each other, for tests of counters that it prints.
#include <iostream>

#include "weft/distributed.hpp"
#include "weft/tasks/future.hpp"

namespace wd = weft::distributed;

namespace {

int doubled(int number) { return 2 * number; }

}  // namespace

int main(int argc, char** argv) {
  const wd::runtime job(argc, argv);
  const wd::locality next((wd::here().rank() + 1) % wd::num_localities());
  for (int i = 0; i < 5; ++i) {
    if (wd::async<&doubled>(next, i).get() != 2 * i) {
      std::cerr << "wrong answer\n";
      return 1;
    }
  }
  wd::quiescence().get();
  return 0;
}
