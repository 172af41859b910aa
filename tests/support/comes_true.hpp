// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits for what other threads bring about, so that a test fails where it would hang.
#pragma once

#include <chrono>
#include <thread>

namespace weft::test {

/// Waits until `condition()` holds, at most a minute; returns whether it does.
template <class Condition>
[[nodiscard]] bool comes_true(const Condition& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) {
      return false;
    }
    std::this_thread::yield();
  }
  return true;
}

}  // namespace weft::test
