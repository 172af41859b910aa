// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls of the runtime and of the algorithms whose lines are counted.
#include "lab/scaling/operations.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/latch.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/semaphore.hpp"

#include "lab/scaling/line_directory.hpp"
#include "lab/scaling/waiting.hpp"
#include "tasks/runtime/runtime_access.hpp"
#include "tasks/scheduler/scheduler.hpp"

namespace weft::lab::scaling {
namespace {

const tasks::detail::scheduler& workers() {
  return tasks::detail::runtime_access::of(default_runtime());
}

void settle() { wait_until_parked(workers()); }

/// Performs `body` on a worker, and returns after all workers are parked again.
template <class F>
void run_on_worker(F body) {
  event done;
  post([&] {
    body();
    done.set();
  });
  done.wait();
  settle();
}

std::uint64_t sum_of(std::uint64_t (*value)(const tasks::detail::worker&)) {
  std::uint64_t sum = 0;
  for (const auto& each : workers().started()) {
    sum += value(*each);
  }
  return sum;
}

std::uint64_t num_steals() {
  return sum_of([](const tasks::detail::worker& w) { return w.count->steals_won.value(); });
}

/// Counts while a worker performs `body` `times` times; the other workers stay parked.
template <class F>
counted count_alone(std::uint64_t times, F body) {
  counted result{.num_operations = times, .lines = {}};
  run_on_worker([&] {
    body();  // grows what grows at first use
    pause(std::chrono::milliseconds(20));
    begin_counting();
    for (std::uint64_t i = 0; i < times; ++i) {
      body();
    }
    result.lines = end_counting();
  });
  return result;
}

counted count_forks() {
  return count_alone(2000, [] { fork_join([] {}, [] {}); });
}

counted count_futures() {
  return count_alone(2000, [] { static_cast<void>(async([] { return 1; }).get()); });
}

counted count_wakes() {
  constexpr std::uint64_t times = 30;
  run_on_worker([] {});
  begin_counting();
  for (std::uint64_t i = 0; i < times; ++i) {
    post([] {});
    pause(std::chrono::microseconds(200));
    settle();
  }
  return {.num_operations = times, .lines = end_counting()};
}

counted count_handovers() {
  constexpr std::uint64_t times = 1000;
  counting_semaphore<> ping(0);
  counting_semaphore<> pong(0);
  counted result{.num_operations = 2 * times, .lines = {}};
  run_on_worker([&] {
    auto other = async([&] {
      for (std::uint64_t i = 0; i < times; ++i) {
        ping.acquire();
        pong.release();
      }
    });
    begin_counting();
    for (std::uint64_t i = 0; i < times; ++i) {
      ping.release();
      pong.acquire();
    }
    result.lines = end_counting();
    other.get();
  });
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): a tree
void grow_tree(int depth) {
  if (depth == 0) {
    pause_busily(std::chrono::microseconds(20));
    return;
  }
  fork_join([&] { grow_tree(depth - 1); }, [&] { grow_tree(depth - 1); });
}

counted count_steals() {
  counted result;
  run_on_worker([] { grow_tree(6); });
  const std::uint64_t before = num_steals();
  begin_counting();
  run_on_worker([] { grow_tree(11); });
  result.lines = end_counting();
  result.num_operations = num_steals() - before;
  return result;
}

/// All workers get a task that ends only when all have one.
counted count_spreading() {
  const auto num_workers = static_cast<std::uint64_t>(default_runtime().num_workers());
  const auto spread = [&] {
    latch all(static_cast<std::ptrdiff_t>(num_workers));
    run_on_worker([&] {
      std::vector<future<void>> tasks;
      for (std::uint64_t i = 1; i < num_workers; ++i) {
        tasks.push_back(async([&] { spin_until_all(all); }));
      }
      spin_until_all(all);
      for (future<void>& each : tasks) {
        each.get();
      }
    });
  };
  spread();
  begin_counting();
  spread();
  return {.num_operations = num_workers, .lines = end_counting()};
}

template <class F>
counted count_calls(F call) {
  constexpr std::uint64_t times = 20;
  call();
  settle();
  begin_counting();
  for (std::uint64_t i = 0; i < times; ++i) {
    call();
  }
  settle();
  return {.num_operations = times, .lines = end_counting()};
}

std::vector<double>& numbers() {
  static std::vector<double> all(std::size_t{1} << 16, 1.0);
  return all;
}

counted count_for_each() {
  return count_calls(
      [] { for_each(par, numbers().begin(), numbers().end(), [](double& x) { x += 1.0; }); });
}

counted count_reduce() {
  return count_calls(
      [] { static_cast<void>(reduce(par, numbers().begin(), numbers().end(), 0.0)); });
}

counted count_sort() {
  return count_calls([] {
    for (std::size_t i = 0; i < numbers().size(); ++i) {
      numbers()[i] = static_cast<double>((i * 2654435761U) % 65536);
    }
    sort(par, numbers().begin(), numbers().end());
  });
}

constexpr std::array all_operations{
    operation{"fork", "a fork_join of two empty calls, other workers parked", count_forks},
    operation{"future", "an async and its get, other workers parked", count_futures},
    operation{"wake", "a task from outside for parked workers, until they are parked", count_wakes},
    operation{"handover", "a suspended wait and its end, other workers parked", count_handovers},
    operation{"steal", "a steal in a tree of tasks of 20 us, all else included", count_steals},
    operation{"spread", "a worker that gets one of as many tasks as there are", count_spreading},
    operation{"for_each", "for_each(par) over 65,536 doubles", count_for_each},
    operation{"reduce", "reduce(par) of 65,536 doubles", count_reduce},
    operation{"sort", "sort(par) of 65,536 doubles", count_sort},
};

}  // namespace

std::span<const operation> operations() noexcept { return all_operations; }

}  // namespace weft::lab::scaling
