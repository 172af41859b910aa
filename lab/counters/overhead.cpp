// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times the smallest possible tasks, for a comparison with a build that does not count:
// weft_counters_overhead [SAMPLES [PROBLEM]]. Prints a line of JSON per problem.
// tests/counters/compare_overhead.py runs two builds alternately; compare_instructions.py compares
// their instruction counts.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ratio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weft/base/error.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/coroutine_fork.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/lazy_task.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/task_group.hpp"

#include "lab/counters/spin.hpp"

namespace weft::lab {
namespace {

#if defined(WEFT_COUNTERS_OFF)
constexpr std::string_view counters = "off";
#else
constexpr std::string_view counters = "full";
#endif

constexpr int forked_size = 27;
constexpr int future_size = 24;
constexpr int awaited_size = 24;
// The speed of a function of few instructions also depends on its address, so each problem runs
// this many copies of it.
constexpr int num_copies = 8;
// Fixed, so that both builds do the same work: about 50 ns and 1 us.
constexpr std::uint64_t short_steps = 45;
constexpr std::uint64_t long_steps = 900;

std::int64_t fib(int n) {
  std::int64_t value = 0;
  std::int64_t next = 1;
  for (int i = 0; i < n; ++i) {
    const std::int64_t after = value + next;
    value = next;
    next = after;
  }
  return value;
}

/// Prevents the compiler from merging copies of a function.
template <int copy>
void be_distinct() {
  asm volatile("" : : "i"(copy));
}

template <int copy>
std::int64_t forked_fib(int n) {
  be_distinct<copy>();
  if (n < 2) {
    return n;
  }
  const auto [first, second] =
      fork_join([n] { return forked_fib<copy>(n - 1); }, [n] { return forked_fib<copy>(n - 2); });
  return first + second;
}

template <int copy>
std::int64_t future_fib(int n) {
  be_distinct<copy>();
  if (n < 2) {
    return n;
  }
  auto first = async([n] { return future_fib<copy>(n - 1); });
  const std::int64_t second = future_fib<copy>(n - 2);
  return first.get() + second;
}

template <int copy>
lazy_task<std::int64_t> awaited_fib(int n) {
  be_distinct<copy>();
  if (n < 2) {
    co_return n;
  }
  const auto [first, second] =
      co_await weft::fork(awaited_fib<copy>(n - 1), awaited_fib<copy>(n - 2));
  co_return first + second;
}

/// Not more tasks wait at once than a worker keeps memory for; otherwise malloc would be timed.
void spin_in_group(std::int64_t num_tasks, std::uint64_t steps) {
  constexpr std::int64_t num_waiting = 1000;
  task_group group;
  for (std::int64_t i = 0; i < num_tasks; i += num_waiting) {
    for (std::int64_t k = 0; k < num_waiting; ++k) {
      group.run([steps] { spin(steps); });
    }
    group.wait();
  }
}

/// Work that makes `num_tasks` tasks. `run` returns false if its result is wrong.
struct problem {
  std::string_view name;
  std::int64_t num_tasks;
  bool (*run)(const problem& me);
};

/// A call of fib makes a task unless it is a leaf.
std::int64_t num_forks(int n) { return num_copies * (fib(n + 1) - 1); }

constexpr auto copies = std::make_integer_sequence<int, num_copies>{};

template <int... copy>
bool are_forked_right(std::integer_sequence<int, copy...> /*copies*/) {
  return ((forked_fib<copy>(forked_size) == fib(forked_size)) && ...);
}

template <int... copy>
bool are_futures_right(std::integer_sequence<int, copy...> /*copies*/) {
  return ((future_fib<copy>(future_size) == fib(future_size)) && ...);
}

template <int... copy>
bool are_coroutines_right(std::integer_sequence<int, copy...> /*copies*/) {
  return ((blocking_wait(awaited_fib<copy>(awaited_size)) == fib(awaited_size)) && ...);
}

const std::array problems = {
    problem{.name = "fib_fork_join",
            .num_tasks = num_forks(forked_size),
            .run = [](const problem&) { return are_forked_right(copies); }},
    problem{.name = "fib_futures",
            .num_tasks = num_forks(future_size),
            .run = [](const problem&) { return are_futures_right(copies); }},
    problem{.name = "fib_coroutines",
            .num_tasks = num_forks(awaited_size),
            .run = [](const problem&) { return are_coroutines_right(copies); }},
    problem{.name = "tasks_50ns",
            .num_tasks = 100'000,
            .run =
                [](const problem& me) {
                  spin_in_group(me.num_tasks, short_steps);
                  return true;
                }},
    problem{.name = "tasks_1us", .num_tasks = 10'000, .run = [](const problem& me) {
              spin_in_group(me.num_tasks, long_steps);
              return true;
            }}};

double time_ns(const problem& what) {
  const auto start = std::chrono::steady_clock::now();
  const bool is_right = default_runtime().run([&] { return what.run(what); });
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  if (!is_right) {
    throw error("the result of " + std::string(what.name) + " is wrong; its time means nothing");
  }
  return time.count();
}

/// The first call warms up and is discarded.
nlohmann::json measured(const problem& what, long num_samples) {
  time_ns(what);
  std::vector<double> ns_per_task;
  ns_per_task.reserve(static_cast<std::size_t>(num_samples));
  for (long i = 0; i < num_samples; ++i) {
    ns_per_task.push_back(time_ns(what) / static_cast<double>(what.num_tasks));
  }
  return {{"problem", what.name},
          {"counters", counters},
          {"workers", default_runtime().num_workers()},
          {"num_tasks", what.num_tasks},
          {"ns_per_task", ns_per_task}};
}

/// Runs all problems if `only` is empty.
void print_all(long num_samples, std::string_view only) {
  std::string names;
  bool is_known = only.empty();
  for (const problem& each : problems) {
    names += ' ' + std::string(each.name);
    is_known |= each.name == only;
  }
  if (!is_known) {
    throw error("there is no problem \"" + std::string(only) + "\"; there are" + names);
  }
  for (const problem& each : problems) {
    if (only.empty() || each.name == only) {
      std::printf("%s\n", measured(each, num_samples).dump().c_str());
    }
  }
}

}  // namespace
}  // namespace weft::lab

int main(int argc, char** argv) try {
  weft::init(argc, argv);
  const long num_samples = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 20;
  if (num_samples < 1) {
    throw weft::error("SAMPLES is " + std::string(argv[1]) + "; it takes a number from 1 on");
  }
  weft::lab::print_all(num_samples, argc > 2 ? argv[2] : "");
} catch (const weft::error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 2;
}
