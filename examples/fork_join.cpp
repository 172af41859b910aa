// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fork-join: a recursive sum that returns values, and a quicksort that works in place.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

#include <weft/tasks/fork_join.hpp>

namespace {

// Below this, forking costs more than it gains.
constexpr std::size_t grain = 1000;

long sum(std::span<const int> numbers) {
  if (numbers.size() <= grain) {
    return std::accumulate(numbers.begin(), numbers.end(), 0L);
  }
  const std::size_t half = numbers.size() / 2;
  auto [left, right] = weft::fork_join([&] { return sum(numbers.first(half)); },
                                       [&] { return sum(numbers.subspan(half)); });
  return left + right;
}

void quicksort(std::span<int> numbers) {
  if (numbers.size() <= grain) {
    std::sort(numbers.begin(), numbers.end());
    return;
  }
  const int pivot = numbers[numbers.size() / 2];
  const auto middle = std::partition(
      numbers.begin(), numbers.end(), [pivot](int number) { return number < pivot; });
  const auto upper =
      std::partition(middle, numbers.end(), [pivot](int number) { return number == pivot; });
  weft::fork_join([&] { quicksort({numbers.begin(), middle}); },
                  [&] { quicksort({upper, numbers.end()}); });
}

}  // namespace

int main() {
  std::vector<int> numbers(200'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int>(i * 7919 % numbers.size());  // every number once, shuffled
  }

  const long before = sum(numbers);
  quicksort(numbers);

  std::printf("sum %ld, smallest %d, largest %d\n", before, numbers.front(), numbers.back());
  return sum(numbers) == before && std::is_sorted(numbers.begin(), numbers.end()) ? 0 : 1;
}
