// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders and receivers: what is to be done, where, and what follows, before any of it is started.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#include <weft/execution.hpp>
#include <weft/tasks/fork_join.hpp>
#include <weft/tasks/runtime.hpp>

namespace ex = weft::execution;

namespace {

/// The sum of the first n terms of the Taylor series of ln(1+x), in chunks on all workers.
double log1p_by_series(ex::runtime_scheduler workers, double x, std::size_t n) {
  constexpr std::size_t num_parts = 64;
  std::vector<double> part(num_parts);
  const auto add_part = [&part, x, n](std::size_t i) {
    double sum = 0;
    for (std::size_t e = i * n / num_parts + 1; e <= (i + 1) * n / num_parts; ++e) {
      const double term = std::pow(x, static_cast<double>(e)) / static_cast<double>(e);
      sum += e % 2 == 1 ? term : -term;
    }
    part[i] = sum;
  };
  auto work = ex::schedule(workers) | ex::bulk(num_parts, add_part) |
              ex::then([&part] { return std::accumulate(part.begin(), part.end(), 0.0); });
  const auto answer = ex::sync_wait(work);
  return answer ? std::get<0>(*answer) : 0;  // nobody stops it
}

/// Recursion needs a type that does not contain itself: any_sender.
ex::any_sender<long> fib(ex::runtime_scheduler workers, int n) {
  if (n < 2) {
    return ex::just(static_cast<long>(n));
  }
  return ex::schedule(workers) | ex::let_value([workers, n] {
           return ex::when_all(fib(workers, n - 1), fib(workers, n - 2));
         }) |
         ex::then([](long a, long b) { return a + b; });
}

long fib_by_fork_join(int n) {
  if (n < 2) {
    return n;
  }
  const auto [a, b] = weft::fork_join([n] { return fib_by_fork_join(n - 1); },
                                      [n] { return fib_by_fork_join(n - 2); });
  return a + b;
}

template <class F>
double seconds_of(F&& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main() {
  const ex::runtime_scheduler workers = weft::default_runtime().get_scheduler();

  constexpr double x = 0.5;
  const double sum = log1p_by_series(workers, x, 1000);
  std::printf("ln(1.5) = %.15f\n", sum);

  constexpr int n = 20;
  long by_senders = 0;
  long by_forks = 0;
  const double senders_s =
      seconds_of([&] { by_senders = std::get<0>(ex::sync_wait(fib(workers, n)).value()); });
  const double forks_s = seconds_of([&] { by_forks = fib_by_fork_join(n); });
  std::printf(
      "fib(%d) = %ld: %.6f s by senders, %.6f s by fork_join\n", n, by_senders, senders_s, forks_s);

  const bool is_right =
      std::abs(sum - std::log1p(x)) < 1e-15 && by_senders == 6765 && by_forks == 6765;
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
