// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sum, ln(1+x) by its Taylor series, in each of weft's styles, all on the same workers.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <ranges>
#include <utility>
#include <vector>

#include <weft/algorithms/policy.hpp>
#include <weft/algorithms/transform_reduce.hpp>
#include <weft/execution.hpp>
#include <weft/tasks/async.hpp>
#include <weft/tasks/coroutine_fork.hpp>
#include <weft/tasks/dataflow.hpp>
#include <weft/tasks/future.hpp>
#include <weft/tasks/lazy_task.hpp>
#include <weft/tasks/promise.hpp>
#include <weft/tasks/runtime.hpp>
#include <weft/tasks/task_group.hpp>
#include <weft/tasks/unwrapping.hpp>
#include <weft/tasks/when_all.hpp>

namespace ex = weft::execution;

namespace {

constexpr std::size_t num_parts = 16;
constexpr std::size_t num_terms = 4000;
constexpr double x = 0.9;

double term(std::size_t e) {
  const double magnitude = std::pow(x, static_cast<double>(e)) / static_cast<double>(e);
  return e % 2 == 1 ? magnitude : -magnitude;
}

/// The terms of one part, one after the other.
double part(std::size_t i) {
  double sum = 0;
  for (std::size_t e = i * num_terms / num_parts + 1; e <= (i + 1) * num_terms / num_parts; ++e) {
    sum += term(e);
  }
  return sum;
}

double sum_of(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

double by_algorithm() {
  const auto terms = std::views::iota(std::size_t{1}, num_terms + 1);
  return weft::transform_reduce(weft::par, terms.begin(), terms.end(), 0.0, std::plus<>(), term);
}

double by_task_group() {
  std::vector<double> parts(num_parts);
  weft::task_group group;
  for (std::size_t i = 0; i < num_parts; ++i) {
    group.run([&parts, i] { parts[i] = part(i); });
  }
  group.wait();
  return sum_of(parts);
}

double by_futures() {
  std::vector<weft::future<double>> parts;
  parts.reserve(num_parts);
  for (std::size_t i = 0; i < num_parts; ++i) {
    parts.push_back(weft::async([i] { return part(i); }));
  }
  double sum = 0;
  for (weft::future<double>& each : weft::when_all_ready(std::move(parts)).get()) {
    sum += each.get();
  }
  return sum;
}

double by_dataflow() {
  const auto add = weft::unwrapping([](double left, double right) { return left + right; });
  weft::future<double> sum = weft::make_ready_future(0.0);
  for (std::size_t i = 0; i < num_parts; ++i) {
    sum = weft::dataflow(add, std::move(sum), weft::async([i] { return part(i); }));
  }
  return sum.get();
}

weft::lazy_task<double> part_as_task(std::size_t i) { co_return part(i); }

weft::lazy_task<double> by_coroutine() {
  auto parts = std::views::iota(std::size_t{0}, num_parts) | std::views::transform(part_as_task);
  co_return sum_of(co_await weft::fork_all(parts));
}

double by_senders() {
  std::vector<double> parts(num_parts);
  auto work = ex::schedule(weft::default_runtime().get_scheduler()) |
              ex::bulk(num_parts, [&parts](std::size_t i) { parts[i] = part(i); }) |
              ex::then([&parts] { return sum_of(parts); });
  const auto answer = ex::sync_wait(work);
  return answer ? std::get<0>(*answer) : 0;  // nobody stops it
}

bool is_right(const char* style, double sum) {
  std::printf("%-12s %.15f\n", style, sum);
  return std::abs(sum - std::log1p(x)) < 1e-14;
}

}  // namespace

int main() {
  bool are_right = is_right("algorithm", by_algorithm());
  are_right = is_right("task_group", by_task_group()) && are_right;
  are_right = is_right("futures", by_futures()) && are_right;
  are_right = is_right("dataflow", by_dataflow()) && are_right;
  are_right = is_right("coroutine", weft::blocking_wait(by_coroutine())) && are_right;
  are_right = is_right("senders", by_senders()) && are_right;
  return are_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
