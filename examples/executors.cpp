// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executors: who runs a call, for futures, bulk calls and parallel algorithms alike.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include <weft/algorithms/for_each.hpp>
#include <weft/algorithms/policy.hpp>
#include <weft/algorithms/senders.hpp>
#include <weft/execution.hpp>
#include <weft/execution/async.hpp>
#include <weft/execution/executors.hpp>
#include <weft/tasks/future.hpp>

namespace ex = weft::execution;

namespace {

/// Two members make an executor: this one counts what it hands on.
struct counting_executor {
  [[nodiscard]] std::size_t num_workers() const { return 1; }
  template <class F>
  void execute(F&& f) const {
    ++*num_calls;
    f();
  }
  int* num_calls;
};

long sum_by_executors() {
  std::vector<long> values(10'000, 1);
  ex::limiting_executor at_most_two(ex::parallel_executor(), 2);
  auto total = weft::async(at_most_two,
                           [&values] { return std::accumulate(values.begin(), values.end(), 0L); });
  auto doubled = total.then(at_most_two, [](weft::future<long> sum) { return 2 * sum.get(); });
  return doubled.get();
}

long sum_by_regions() {
  std::vector<long> values(10'000, 0);
  ex::fork_join_executor team;  // its workers stay awake between calls
  for (int step = 0; step < 10; ++step) {
    weft::for_each(weft::par.on(team), values.begin(), values.end(), [](long& v) { ++v; });
  }
  return std::accumulate(values.begin(), values.end(), 0L);
}

long sum_by_pipe() {
  std::vector<long> values(10'000, 1);
  auto work =
      ex::just(values.begin(), values.end(), [](long& v) { v += 1; }) | weft::for_each(weft::par);
  ex::sync_wait(ex::starts_on(ex::get_parallel_scheduler(), std::move(work)));
  return std::accumulate(values.begin(), values.end(), 0L);
}

}  // namespace

int main() {
  int num_calls = 0;
  weft::async(counting_executor{&num_calls}, [] {}).get();
  const std::array sums{sum_by_executors(), sum_by_regions(), sum_by_pipe()};
  std::printf("%ld %ld %ld, %d call\n", sums[0], sums[1], sums[2], num_calls);
  const bool is_right =
      sums[0] == 20'000 && sums[1] == 100'000 && sums[2] == 20'000 && num_calls == 1;
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
