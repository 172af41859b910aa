// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A quicksort by tasks: both parts at once, down to a thousand elements. The backends that have no
// tasks are left out.
//
//   ./weft bench examples/bench/quicksort.cpp
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <weft/bench.hpp>

namespace {

std::vector<float> make(std::size_t n) {
  std::vector<float> numbers(n);
  std::uint32_t state = 1;
  for (float& number : numbers) {
    state = state * 1664525 + 1013904223;
    number = static_cast<float>(state);
  }
  return numbers;
}

void quicksort(auto& on, std::span<float> numbers) {
  if (numbers.size() <= 1000) {
    std::sort(numbers.begin(), numbers.end());
    return;
  }
  const float pivot = numbers[numbers.size() / 2];
  const auto middle =
      std::partition(numbers.begin(), numbers.end(), [=](float number) { return number < pivot; });
  const auto upper =
      std::partition(middle, numbers.end(), [=](float number) { return number == pivot; });
  on.fork_join([&] { quicksort(on, {numbers.begin(), middle}); },
               [&] { quicksort(on, {upper, numbers.end()}); });
}

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(
      argc,
      argv,
      make,
      [](auto& on, auto& numbers) { quicksort(on, numbers); },
      weft::bench::settings{.ulps = 0},
      weft::bench::variant("std::sort",
                           [](auto& numbers) { std::sort(numbers.begin(), numbers.end()); }));
}
