// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of loops, reductions and the algorithms that every backend has; the input is empty at
// size 1. At size 77 every backend but seq gives an answer that is planted wrong.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

#include <weft/bench.hpp>

namespace {

std::vector<long> make(std::size_t n) {
  std::vector<long> numbers(n - 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<long>((i * 7919) % 1009);
  }
  return numbers;
}

constexpr auto doubled = [](long number) { return 2 * number; };
constexpr auto larger = [](long a, long b) { return std::max(a, b); };

constexpr std::size_t planted_size = 77;

auto all(auto& on, const std::vector<long>& in) {
  const bool is_wrong =
      in.size() + 1 == planted_size && !std::remove_cvref_t<decltype(on)>::is_serial;
  const auto first = in.begin();
  const auto last = in.end();
  std::vector<long> squares(in.size());
  on.for_loop(in.size(), [&](std::size_t i) { squares[i] = in[i] * in[i]; });
  std::vector<long> others(in.size());
  on.transform(first, last, others.begin(), doubled);
  on.transform(first, last, squares.begin(), others.begin(), std::plus<>());
  on.for_each(squares.begin(), squares.end(), [](long& number) { ++number; });
  return std::tuple(
      squares,
      others,
      on.reduce(
          in.size(), 5L, [&](std::size_t i) { return in[i]; }, larger),
      on.reduce(
          in.size(), 1L, [&](std::size_t i) { return in[i]; }, std::plus<>()),
      on.reduce(first, last, 3L),
      on.transform_reduce(first, last, others.begin(), 1L),
      on.transform_reduce(first, last, others.begin(), 1L, larger, std::plus<>()),
      on.transform_reduce(first, last, 1L, larger, doubled),
      static_cast<long>(on.count_if(first, last, [](long number) { return number % 2 == 0; })) +
          (is_wrong ? 1 : 0));
}

}  // namespace

int main(int argc, char** argv) {
  return weft::bench::run(argc, argv, make, [](auto& on, const auto& in) { return all(on, in); });
}
