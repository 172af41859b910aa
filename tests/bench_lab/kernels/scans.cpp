// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of the algorithms whose output depends on what came before.
#include <cstddef>
#include <utility>
#include <vector>

#include <weft/bench.hpp>

int main(int argc, char** argv) {
  const auto make = [](std::size_t n) {
    std::vector<int> numbers(n - 1);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<int>((i * 7919) % 13);
    }
    return numbers;
  };
  return weft::bench::run(argc, argv, make, [](auto& on, const auto& in) {
    std::vector<int> sums(in.size());
    std::vector<int> small(in.size());
    on.inclusive_scan(in.begin(), in.end(), sums.begin());
    const auto end =
        on.copy_if(in.begin(), in.end(), small.begin(), [](int number) { return number < 5; });
    small.erase(end, small.end());
    return std::pair(std::move(sums), std::move(small));
  });
}
