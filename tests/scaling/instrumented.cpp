// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations to be counted, compiled with a call at each load and store.
#include "scaling/instrumented.hpp"

#include <atomic>
#include <cstdint>
#include <span>

namespace line_counts_test {

void write_all(std::span<shared_word> words) {
  for (shared_word& each : words) {
    each.value.store(2);
  }
}

std::uint64_t read_all(std::span<const shared_word> words) {
  std::uint64_t sum = 0;
  for (const shared_word& each : words) {
    sum += each.value.load();
  }
  return sum;
}

bool are_atomics_right() {
  std::atomic<std::uint32_t> word{5};
  std::uint32_t expected = 4;
  bool is_right = !word.compare_exchange_strong(expected, 9) && expected == 5;
  is_right = is_right && word.compare_exchange_strong(expected, 9);
  is_right = is_right && word.fetch_or(6) == 9 && word.fetch_sub(1) == 15;
  return is_right && word.exchange(1) == 14 && word.fetch_xor(3) == 1 && word.load() == 2;
}

}  // namespace line_counts_test
