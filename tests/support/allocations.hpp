// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what a test program asks operator new for. Only one file of a program may include this.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/sanitizer.hpp"

namespace weft::test {

/// False with a sanitizer, which has an operator new of its own.
inline constexpr bool counts_allocations = !is_sanitized;

/// By all threads, since the program began. Relaxed: a number, and nothing is read behind it.
inline constinit std::atomic<std::size_t> num_allocations{0};

/// The fewest allocations of some calls of `f()`: what a worker keeps is made by the first.
template <class F>
std::size_t fewest_allocations(F&& f) {
  constexpr int num_calls = 5;
  std::size_t fewest = ~std::size_t{0};
  for (int i = 0; i < num_calls; ++i) {
    const std::size_t before = num_allocations.load(std::memory_order_relaxed);
    f();
    fewest = std::min(fewest, num_allocations.load(std::memory_order_relaxed) - before);
  }
  return fewest;
}

}  // namespace weft::test

#if !WEFT_TEST_IS_SANITIZED

void* operator new(std::size_t bytes) {
  weft::test::num_allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const made = std::malloc(std::max<std::size_t>(bytes, 1))) {
    return made;
  }
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  weft::test::num_allocations.fetch_add(1, std::memory_order_relaxed);
  const auto unit = std::max(static_cast<std::size_t>(alignment), sizeof(void*));
  void* made = nullptr;
  if (posix_memalign(&made, unit, std::max<std::size_t>(bytes, 1)) != 0) {
    throw std::bad_alloc();
  }
  return made;
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/) noexcept { std::free(block); }
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { std::free(block); }
void operator delete(void* block, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  std::free(block);
}

#endif
