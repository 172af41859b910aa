// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies that observe and adapt a program: a chunk size that is tuned while a loop uses it, and a
// function that sees how many loops run.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

#include <weft/algorithms/for_each.hpp>
#include <weft/algorithms/parameters.hpp>
#include <weft/algorithms/policy.hpp>
#include <weft/base/error.hpp>
#include <weft/policies.hpp>
#include <weft/tasks/runtime.hpp>

namespace policies = weft::policies;
using namespace std::chrono_literals;

int main(int argc, char** argv) try {
  weft::init(argc, argv);
  std::atomic<int> num_calls{0};
  const auto observer = policies::every(
      10ms, {"/parallel_algorithms/count/calls"}, [&](const policies::readings& now) {
        if (const auto loops = now.of("/parallel_algorithms/count/calls").change;
            loops && num_calls < 3) {
          std::printf(
              "%.0f loops in %lld us\n", *loops, static_cast<long long>(now.since_last / 1us));
        }
        ++num_calls;
      });
  const auto throttle = policies::throttle_idle(weft::default_runtime());

  std::vector<double> numbers(100'000);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  policies::tuner<std::size_t> chunk("chunk", {100, 1'000, 10'000, 50'000}, 1'000);
  int num_loops = 0;
  while (chunk.is_tuning() || num_calls == 0) {
    const auto use = chunk.measure();
    weft::for_each(weft::par.with(weft::static_chunk_size{use.value()}),
                   numbers.begin(),
                   numbers.end(),
                   [](double& x) { x += 1; });
    ++num_loops;
  }

  std::printf("%s; the chunk size is %zu\n", to_string(chunk.report()).c_str(), chunk.value());
  return numbers.front() == num_loops ? 0 : 1;
} catch (const weft::error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 2;
}
