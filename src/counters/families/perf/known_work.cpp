// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work of known size. A counter that does not change while it runs does not count.
#include "counters/families/perf/known_work.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace weft::counters::detail {

double known_work() noexcept {
  constexpr std::size_t num_lines = 1 << 14;
  constexpr std::size_t words_per_line = 8;
  const std::unique_ptr<std::uint64_t[]> memory(new (std::nothrow)
                                                    std::uint64_t[num_lines * words_per_line]());
  if (memory == nullptr) {
    return 0;
  }
  std::uint64_t state = 88172645463325252U;  // xorshift64, Marsaglia 2003
  volatile double sum = 0;                   // volatile, so that each addition is executed
  for (int i = 0; i < known_work_rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    state += memory[(state >> 20) % num_lines * words_per_line];
    if ((state & 1) != 0) {
      sum = sum + 1.0;
    }
  }
  return sum;
}

}  // namespace weft::counters::detail
