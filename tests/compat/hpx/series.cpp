// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A series in each of HPX's styles, written as its users do.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <hpx/algorithm.hpp>
#include <hpx/execution.hpp>
#include <hpx/future.hpp>
#include <hpx/hpx_main.hpp>  // IWYU pragma: keep: it makes main a task
#include <hpx/latch.hpp>
#include <hpx/tuple.hpp>

// Together these two lines are why the namespace has traits, and no concepts.
using namespace hpx::execution::experimental;
template <class Sender>
concept sender = is_sender_v<Sender>;

namespace tt = hpx::this_thread::experimental;

namespace {

constexpr std::size_t num_terms = 1000;
constexpr std::size_t num_parts = 10;
constexpr double x = 0.1;

double term(std::size_t e) {
  const double magnitude = std::pow(x, static_cast<double>(e)) / static_cast<double>(e);
  return e % 2 == 1 ? magnitude : -magnitude;
}

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

double by_senders() {
  const thread_pool_scheduler pool{};
  std::vector<double> parts(num_parts);
  sender auto work = schedule(pool) | bulk(num_parts, [&](auto i) { parts[i] = part(i); }) |
                     then([&] { return sum_of(parts); });
  return hpx::get<0>(tt::sync_wait(work).value());
}

double by_futures() {
  std::vector<hpx::future<double>> parts;
  parts.reserve(num_parts);
  for (std::size_t i = 0; i < num_parts; ++i) {
    parts.push_back(hpx::async(part, i));
  }
  return hpx::when_all(parts)
      .then([](auto&& all) {
        double sum = 0;
        for (auto& each : all.get()) {
          sum += each.get();
        }
        return sum;
      })
      .get();
}

hpx::future<double> by_coroutine() {
  std::vector<hpx::future<double>> parts;
  parts.reserve(num_parts);
  for (std::size_t i = 0; i < num_parts; ++i) {
    parts.push_back(hpx::async(part, i));
  }
  double sum = 0;
  auto all = co_await hpx::when_all(parts);
  for (auto& each : all) {
    sum += co_await std::move(each);
  }
  co_return sum;
}

double by_algorithms() {
  std::vector<double> terms(num_terms);
  std::iota(terms.begin(), terms.end(), 1.0);
  const static_chunk_size chunks(10);
  hpx::for_each(hpx::execution::par.with(chunks), terms.begin(), terms.end(), [](double& e) {
    e = term(static_cast<std::size_t>(e));
  });
  return hpx::reduce(hpx::execution::par(hpx::execution::task), terms.begin(), terms.end(), 0.0)
      .get();
}

unique_any_sender<long> fib(thread_pool_scheduler pool, int n) {
  if (n < 2) {
    return just(static_cast<long>(n));
  }
  return schedule(pool) |
         let_value([pool, n] { return when_all(fib(pool, n - 1), fib(pool, n - 2)); }) |
         then([](long a, long b) { return a + b; });
}

/// True if two calls of a bulk are under way at once: each waits for the other.
template <class Start>
bool is_shared_out(Start begin) {
  hpx::latch both(2);
  std::vector<int> has_met(2, 0);
  tt::sync_wait(std::move(begin) | bulk(2, [&](auto i, auto&&...) {
                  both.count_down(1);
                  // Of the thread, not of the task, which would run the other call right here.
                  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                  while (!both.try_wait() && std::chrono::steady_clock::now() < limit) {
                    std::this_thread::yield();
                  }
                  has_met[static_cast<std::size_t>(i)] = both.try_wait() ? 1 : 0;
                }));
  return has_met == std::vector<int>{1, 1};
}

bool is_parallel_behind_every_start() {
  const thread_pool_scheduler pool{};
  return is_shared_out(schedule(pool)) && is_shared_out(transfer_just(pool, 1)) &&
         is_shared_out(just() | transfer(pool)) && is_shared_out(starts_on(pool, just())) &&
         is_shared_out(transfer_when_all(pool, just(1), just(2)));
}

bool are_errors_kept() {
  auto failed = hpx::make_exceptional_future<int>(std::runtime_error("kept"));
  auto kept = hpx::get<0>(tt::sync_wait(keep_future(std::move(failed))).value());
  auto fine = hpx::get<0>(tt::sync_wait(keep_future(hpx::make_ready_future(5).share())).value());
  try {
    kept.get();
  } catch (const std::runtime_error&) {
    return fine.get() == 5;
  }
  return false;
}

bool is_executed() {
  hpx::latch done(1);
  execute(thread_pool_scheduler{}, [&done] { done.count_down(1); });
  done.wait();
  const explicit_scheduler_executor<thread_pool_scheduler> where(thread_pool_scheduler{});
  return hpx::async(where, [] { return 2; }).get() + make_future(just(3)).get() == 5;
}

bool is_right(double sum) { return std::abs(sum - std::log1p(x)) < 1e-15; }

}  // namespace

int main(int /*argc*/, char** /*argv*/) {
  static_assert(is_scheduler_v<thread_pool_scheduler> && !is_sender_v<int>);
  const bool are_sums_right = is_right(by_senders()) && is_right(by_futures()) &&
                              is_right(by_coroutine().get()) && is_right(by_algorithms());
  const long number = hpx::get<0>(tt::sync_wait(fib(thread_pool_scheduler{}, 15)).value());
  std::printf("sums %s, fib %ld, bulk %s, errors %s, executors %s\n",
              are_sums_right ? "right" : "wrong",
              number,
              is_parallel_behind_every_start() ? "shared out" : "on one worker",
              are_errors_kept() ? "kept" : "lost",
              is_executed() ? "right" : "wrong");
}
