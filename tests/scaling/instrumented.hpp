// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are compiled with a call at each load and store.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

namespace line_counts_test {

struct alignas(64) shared_word {
  std::atomic<std::uint64_t> value{0};
};

/// An operation whose cost is linear on purpose: it writes all words.
void write_all(std::span<shared_word> words);
/// Returns the sum of all words.
std::uint64_t read_all(std::span<const shared_word> words);
/// Returns whether atomic operations do what they do without instrumentation.
bool are_atomics_right();

}  // namespace line_counts_test
