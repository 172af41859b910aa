// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program includes of base, counters and tasks.
#include "weft/base/error.hpp"
#include "weft/counters/worker_block.hpp"  // IWYU pragma: keep
#include "weft/tasks/mutex.hpp"

int main() {
  weft::mutex one;
  one.lock();
  one.unlock();
  return weft::error("a mistake").get_error() == weft::errc::unknown_error ? 0 : 1;
}
