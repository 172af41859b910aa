// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coroutines of all kinds as a compiler makes them at one of its levels of optimisation: what is
// destroyed once, and what takes no stack.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "weft/execution/just.hpp"
#include "weft/execution/lazy_task.hpp"  // IWYU pragma: keep: tasks that await senders
#include "weft/execution/queries.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sync_wait.hpp"
#include "weft/execution/task.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/coroutine_future.hpp"  // IWYU pragma: keep: coroutines that are futures
#include "weft/tasks/future.hpp"
#include "weft/tasks/generator.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace {

namespace ex = weft::execution;

constexpr long many = 1'000'000;

weft::lazy_task<long> one() { co_return 1; }
weft::future<long> one_at_once() { co_return 1; }

weft::lazy_task<long> awaits_of_tasks() {
  long sum = 0;
  for (long i = 0; i < many; ++i) {
    sum += co_await one();
  }
  co_return sum;
}
weft::lazy_task<long> awaits_of_senders() {
  long sum = 0;
  for (long i = 0; i < many; ++i) {
    sum += co_await ex::just(1L);
  }
  co_return sum;
}
weft::future<long> awaits_of_futures() {
  long sum = 0;
  for (long i = 0; i < many; ++i) {
    sum += co_await one_at_once();
  }
  co_return sum;
}
ex::task<long, ex::env<>> awaits_with_an_environment() {
  long sum = 0;
  for (long i = 0; i < many; ++i) {
    sum += co_await ex::just(1L);
  }
  co_return sum;
}

weft::lazy_task<long> depth_of(long left) {
  if (left == 0) {
    co_return 0;
  }
  co_return 1 + co_await depth_of(left - 1);
}

weft::lazy_task<long> switches(ex::runtime_scheduler workers, long count) {
  for (long i = 0; i < count; ++i) {
    co_await ex::schedule(workers);
  }
  co_return count;
}

weft::generator<long> numbers(long count) {
  for (long i = 0; i < count; ++i) {
    co_yield 1;
  }
}

/// Suspends with a local, an argument and a temporary that have to be destroyed once.
weft::lazy_task<std::string> holds(std::shared_ptr<std::string> mine, std::string suffix) {
  const std::shared_ptr<std::string> local = std::move(mine);
  auto later = weft::async([copy = local] { return *copy; });
  const std::string text = co_await std::move(later);
  co_return text + suffix + std::to_string(local.use_count() > 0 ? 1 : 0);
}
weft::lazy_task<std::string> holds_both(std::shared_ptr<std::string> given) {
  auto [left, right] =
      co_await weft::fork(holds(given, std::string(40, 'l')), holds(given, std::string(40, 'r')));
  co_return left + right;
}

weft::lazy_task<int> fails(int depth) {
  const std::string local(40, 'x');
  if (depth == 0) {
    throw std::runtime_error(local);
  }
  co_return co_await fails(depth - 1);
}
weft::lazy_task<bool> catches() {
  try {
    co_await fails(3);
  } catch (const std::runtime_error& error) {
    co_return error.what() == std::string(40, 'x');
  }
  co_return false;
}

int num_wrong = 0;

void expect(const char* what, bool is_right) {
  if (!is_right) {
    ++num_wrong;
    std::printf("wrong: %s\n", what);
  }
}

void check(weft::runtime& home) {
  const auto run = [&home](auto make) {
    return home.run([&make] { return weft::blocking_wait(make()); });
  };
  expect("awaits of tasks", run(awaits_of_tasks) == many);
  expect("awaits of senders", run(awaits_of_senders) == many);
  expect("awaits of futures", home.run([] { return awaits_of_futures().get(); }) == many);
  expect("awaits with an environment", home.run([] {
    return std::get<0>(ex::sync_wait(awaits_with_an_environment()).value());
  }) == many);
  expect("a deep chain", run([] { return depth_of(many); }) == many);
  expect("switches", run([&] { return switches(home.get_scheduler(), many / 20); }) == many / 20);
  long sum = 0;
  for (const long each : numbers(many)) {
    sum += each;
  }
  expect("a generator", sum == many);
  const auto held = std::make_shared<std::string>("held");
  const std::string text = run([&] { return holds_both(held); });
  expect("locals and arguments",
         text == "held" + std::string(40, 'l') + "1held" + std::string(40, 'r') + "1");
  expect("a use left", held.use_count() == 1);
  expect("exceptions", run(catches));
}

}  // namespace

int main() {
  weft::runtime_options options;
  options.workers = 2;
  weft::runtime home(options);
  check(home);
  return num_wrong;
}
