// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of element-wise algorithms share: runtimes, sizes, and elements to watch.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/tasks/with_workers.hpp"  // IWYU pragma: export

namespace weft::test {

/// Chunks of this many elements: many at every size but the smallest.
inline constexpr std::size_t chunk = 37;

inline constexpr std::array<std::size_t, 10> sizes{
    0, 1, 2, 3, chunk - 1, chunk, chunk + 1, 200, 1024, 20'011};

/// Runs every test with 1, 2 and 7 workers.
class on_workers : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{with_workers(GetParam())};

  /// In chunks that are small even for small ranges.
  [[nodiscard]] auto chunked() { return par.on(runtime).with(dynamic_chunk_size{chunk}); }
  /// As the engine thinks best.
  [[nodiscard]] auto measured() { return par.on(runtime); }
};

template <class T>
std::vector<T> counted(std::size_t n) {
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<T>(i % 10'007);
  }
  return values;
}

/// Counts the objects there are; the one made as number `throws_at` from a value throws.
class watched {
 public:
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> made{0};
  static inline std::atomic<int> throws_at{-1};

  static void reset(int next_throw = -1) {
    alive = 0;
    made = 0;
    throws_at = next_throw;
  }

  watched() : watched(0) {}
  watched(int value) : value_(value) { note(); }
  watched(const watched& other) : value_(other.value_) { note(); }
  watched(watched&& other) : value_(std::exchange(other.value_, -1)) { note(); }  // NOLINT
  watched& operator=(const watched&) = default;
  watched& operator=(watched&& other) noexcept {
    value_ = std::exchange(other.value_, -1);
    return *this;
  }
  ~watched() { --alive; }

  [[nodiscard]] int value() const noexcept { return value_; }

 private:
  static void note() {
    if (made++ == throws_at) {
      throw std::runtime_error("watched");
    }
    ++alive;
  }
  int value_;
};

}  // namespace weft::test
