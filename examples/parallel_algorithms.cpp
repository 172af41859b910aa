// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where, how and when a parallel algorithm runs: policies and their properties, futures, loops.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <weft/algorithms.hpp>
#include <weft/algorithms/ranges.hpp>
#include <weft/tasks/future.hpp>

namespace {

/// The same bits on every machine and for any number of workers.
double reproducible_sum(const std::vector<double>& values) {
  return weft::reduce(
      weft::par.with(weft::deterministic), values.begin(), values.end(), 0.0, std::plus<>());
}

/// Two workers at most, chunks of a thousand elements, and what was done in the end.
weft::chunking_parameters square_all(std::vector<double>& values) {
  weft::chunking_parameters done;
  const auto policy = weft::par.with(
      weft::num_cores{2}, weft::dynamic_chunk_size{1000}, weft::collect_chunking_parameters(done));
  weft::for_each(policy, values.begin(), values.end(), [](double& x) { x *= x; });
  return done;
}

/// Sorts while the caller does something else.
double sort_meanwhile(std::vector<double>& values, double something_else) {
  auto sorted = weft::ranges::sort(weft::par(weft::as_future), values, std::greater<>());
  something_else = std::sqrt(something_else);
  sorted.get();
  return something_else;
}

/// A loop over indices, with a sum of its own for each chunk.
double weighted_sum(const std::vector<double>& values, const std::vector<double>& weights) {
  double sum = 0;
  weft::for_loop(weft::par,
                 std::size_t{0},
                 values.size(),
                 weft::reduction(sum, 0.0, std::plus<>()),
                 [&](std::size_t i, double& part) { part += weights[i] * values[i]; });
  return sum;
}

/// The exception arrives where the algorithm was called.
std::string first_complaint(const std::vector<double>& values) {
  try {
    weft::for_each(weft::par, values.begin(), values.end(), [](double x) {
      if (x < 0) {
        throw std::domain_error("a negative value");
      }
    });
  } catch (const std::domain_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

int main() {
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i % 100) - 1;
  }

  const bool complains = first_complaint(values) == "a negative value";
  const weft::chunking_parameters done = square_all(values);
  const double root = sort_meanwhile(values, 16);
  const double sum = reproducible_sum(values);
  const double weighted = weighted_sum(values, std::vector<double>(values.size(), 2));

  std::printf("%zu elements in chunks of %zu; the sum of squares is %.0f\n",
              done.num_elements,
              done.chunk_size.value_or(done.num_elements),
              sum);
  const bool is_right = complains && done.num_elements == values.size() && root == 4 &&
                        values.front() == 98 * 98 && weighted == 2 * sum;
  return is_right ? 0 : 1;
}
