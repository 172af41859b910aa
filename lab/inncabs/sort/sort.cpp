// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, check and serial form of problem sort, and the sequential parts of its tasks.
#include "lab/inncabs/sort/sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/sort/merge_sort.hpp"

namespace weft::lab::inncabs::sort {
namespace {

/// Runs calls one after the other and counts them.
struct fork_in_turn {
  std::uint64_t num_calls = 0;

  void operator()(auto... calls) {
    num_calls += sizeof...(calls);
    (calls(), ...);
  }
};

// A quarter, a sixteenth and 1/4^5 of the study's 10^8, so that the parts sorted sequentially have
// the study's 1,526 elements.
std::size_t size_of(input_class which) {
  switch (which) {
    case input_class::tiny:
      return 97'656;
    case input_class::small:
      return 6'250'000;
    case input_class::paper:
      break;
  }
  return 25'000'000;
}

}  // namespace

input make_input(input_class which, std::uint64_t seed) {
  input made{.numbers = std::vector<std::int64_t>(size_of(which))};
  std::iota(made.numbers.begin(), made.numbers.end(), 0);
  // Not std::shuffle: its order differs between standard libraries.
  std::mt19937_64 generator(seed);
  for (std::size_t i = made.numbers.size() - 1; i > 0; --i) {
    std::swap(made.numbers[i], made.numbers[generator() % (i + 1)]);
  }
  return made;
}

void sort_part(std::span<const std::int64_t> from, std::int64_t* into) {
  std::sort(into, std::copy(from.begin(), from.end(), into));
}

void merge_piece::merge_alone() const { std::ranges::merge(longer, shorter, into); }

std::pair<merge_piece, merge_piece> merge_piece::divided() const {
  const std::size_t in_longer = longer.size() / 2;
  const auto in_shorter = static_cast<std::size_t>(
      std::ranges::lower_bound(shorter, longer[in_longer]) - shorter.begin());
  return {
      of(longer.first(in_longer), shorter.first(in_shorter), into),
      of(longer.subspan(in_longer), shorter.subspan(in_shorter), into + in_longer + in_shorter)};
}

result run_serial(const input& from) {
  fork_in_turn fork;
  return merge_sort(from, fork).run();
}

std::string mismatch(const input& from, const result& found) {
  if (found.size() != from.numbers.size()) {
    return std::to_string(found.size()) + " elements, expected " +
           std::to_string(from.numbers.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] != static_cast<std::int64_t>(i)) {
      return "element " + std::to_string(i) + " is " + std::to_string(found[i]) + ", expected " +
             std::to_string(i);
    }
  }
  return "";
}

std::optional<std::uint64_t> num_tasks(const input& from) {
  fork_in_turn fork;
  merge_sort(from, fork).run();
  return fork.num_calls;
}

std::size_t memory_bytes(input_class which) { return 3 * size_of(which) * sizeof(std::int64_t); }

std::string scaled(input_class which) {
  return which == input_class::paper
             ? "25,000,000 instead of 100,000,000 numbers (1/4), so that the input and the two "
               "arrays of the algorithm take 600 MB instead of 2.4 GB"
             : "";
}

}  // namespace weft::lab::inncabs::sort
