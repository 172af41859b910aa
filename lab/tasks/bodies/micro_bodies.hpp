// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The micro problems, each for the runtimes that have the measured operation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lab/harness/keep.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/bodies/enter_once.hpp"
#include "lab/tasks/bodies/runtime_concepts.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks::bodies {

/// How often each thread of the regions ran a body, on its own cache line.
struct alignas(64) runs_of_thread {
  std::uint64_t runs = 0;
};

inline std::uint64_t sum_of(const std::vector<runs_of_thread>& threads) {
  std::uint64_t sum = 0;
  for (const runs_of_thread& each : threads) {
    sum += each.runs;
  }
  return sum;
}

template <has_regions Runtime>
std::uint64_t region(const request& what) {
  std::vector<runs_of_thread> threads(static_cast<std::size_t>(what.threads));
  const auto all_regions = [&] {
    for (std::uint64_t i = 0; i < what.size * what.calls; ++i) {
      Runtime::region(what.threads,
                      [&](int body) { ++threads[static_cast<std::size_t>(body)].runs; });
    }
  };
  if constexpr (starts_regions_in_tasks<Runtime>) {
    Runtime::enter(all_regions);
  } else {
    all_regions();
  }
  return sum_of(threads);
}

/// Regions whose bodies take `what.option` steps, each started by the main thread.
template <has_regions Runtime>
std::uint64_t region_from_main(const request& what) {
  std::vector<runs_of_thread> threads(static_cast<std::size_t>(what.threads));
  const auto body = [&](int number) {
    const std::uint64_t seed = ++threads[static_cast<std::size_t>(number)].runs;
    keep(busy_work(seed, what.option));
  };
  if constexpr (takes_main_in<Runtime>) {
    Runtime::take_main_in(what.threads);
  }
  for (std::uint64_t i = 0; i < what.size; ++i) {
    if constexpr (starts_regions_in_tasks<Runtime> && !takes_main_in<Runtime>) {
      Runtime::enter([&] { Runtime::region(what.threads, body); });
    } else {
      Runtime::region(what.threads, body);
    }
  }
  return sum_of(threads);
}

/// Forks of the main thread, each by the runtime's shortest way.
template <forks Runtime>
std::uint64_t fork_from_main(const request& what) {
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  const auto fork_once = [&] { Runtime::fork2([&] { ++left; }, [&] { ++right; }); };
  if constexpr (takes_main_in<Runtime>) {
    Runtime::take_main_in(what.threads);
  }
  for (std::uint64_t i = 0; i < what.size; ++i) {
    if constexpr (takes_main_in<Runtime>) {
      fork_once();
    } else {
      Runtime::enter(fork_once);
    }
  }
  return left + right;
}

template <has_futures Runtime>
std::uint64_t async_get(const request& what) {
  return enter_once<Runtime>(what, [&] {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < what.size; ++i) {
      sum += Runtime::async([i] { return i; }).get();
    }
    return sum;
  });
}

template <has_continuations Runtime>
std::uint64_t then_chain(const request& what) {
  return enter_once<Runtime>(what, [&] {
    auto link = Runtime::async([] { return std::uint64_t{0}; });
    for (std::uint64_t i = 0; i < what.size; ++i) {
      link = link.then([](auto ready) { return ready.get() + 1; });
    }
    return link.get();
  });
}

template <has_joins Runtime>
std::uint64_t when_all(const request& what) {
  return enter_once<Runtime>(what, [&] {
    std::vector<decltype(Runtime::async([] { return std::uint64_t{0}; }))> parts;
    parts.reserve(what.size);
    for (std::uint64_t i = 0; i < what.size; ++i) {
      parts.push_back(Runtime::async([i] { return i; }));
    }
    std::uint64_t sum = 0;
    for (auto& ready : Runtime::when_all(std::move(parts)).get()) {
      sum += ready.get();
    }
    return sum;
  });
}

/// Every wait suspends its task until the other task reaches the same point.
template <has_semaphore Runtime>
std::uint64_t suspend_resume(const request& what) {
  typename Runtime::semaphore ping(0);
  typename Runtime::semaphore pong(0);
  const std::uint64_t num_rounds = (what.size + 1) / 2;
  return enter_once<Runtime>(what, [&] {
    std::uint64_t pings = 0;
    std::uint64_t pongs = 0;
    Runtime::fork2(
        [&] {
          for (; pings < num_rounds; ++pings) {
            ping.acquire();
            pong.release();
          }
        },
        [&] {
          for (; pongs < num_rounds; ++pongs) {
            ping.release();
            pong.acquire();
          }
        });
    return pings + pongs;
  });
}

template <has_mutex Runtime>
std::uint64_t lock_often(typename Runtime::mutex& guard,
                         std::uint64_t& value,
                         std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) {
    guard.lock();
    ++value;
    guard.unlock();
  }
  return times;
}

/// The sum is right only if the lock works.
template <has_mutex Runtime>
std::uint64_t mutex(const request& what) {
  typename Runtime::mutex guard;
  const auto num_tasks = what.option == 0 ? 1 : static_cast<std::uint64_t>(what.threads);
  return enter_once<Runtime>(what, [&] {
    std::uint64_t value = 0;
    Runtime::fork_many(num_tasks, [&](std::size_t task) {
      const std::uint64_t begin = what.size * task / num_tasks;
      const std::uint64_t end = what.size * (task + 1) / num_tasks;
      lock_often<Runtime>(guard, value, end - begin);
    });
    return value;
  });
}

template <has_channel Runtime>
std::uint64_t channel(const request& what) {
  constexpr std::size_t capacity = 64;
  return enter_once<Runtime>(what, [&] {
    std::uint64_t sum = 0;
    typename Runtime::channel queue(capacity);
    Runtime::fork2(
        [&] {
          for (std::uint64_t i = 0; i < what.size; ++i) {
            queue.send(i);
          }
        },
        [&] {
          for (std::uint64_t i = 0; i < what.size; ++i) {
            sum += queue.receive();
          }
        });
    return sum;
  });
}

template <has_yield Runtime>
std::uint64_t yield(const request& what) {
  const auto give_way = [](std::uint64_t& done, std::uint64_t times) {
    for (; done < times; ++done) {
      Runtime::yield();
    }
  };
  return enter_once<Runtime>(what, [&] {
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    Runtime::fork2([&] { give_way(left, what.size / 2); },
                   [&] { give_way(right, what.size - what.size / 2); });
    return left + right;
  });
}

/// Two tasks, each of which ends only after the other has begun. Whichever task the runtime starts
/// first, the time ends when the second runs on another thread.
template <runs_forks_concurrently Runtime>
std::uint64_t wake(const request& what) {
  return enter_once<Runtime>(what, [&] {
    std::uint64_t starts = 0;
    for (std::uint64_t i = 0; i < what.size; ++i) {
      std::atomic<int> begun = 0;
      const auto wait_for_other = [&begun] {
        // release and acquire: each task sees the other's writes from before it began.
        begun.fetch_add(1, std::memory_order_acq_rel);
        while (begun.load(std::memory_order_acquire) < 2) {
        }
      };
      Runtime::fork2(wait_for_other, wait_for_other);
      starts += static_cast<std::uint64_t>(begun.load(std::memory_order_relaxed));
    }
    return starts;
  });
}

/// The micro rows of a runtime's table: those whose concept the runtime satisfies.
template <forks Runtime>
void offer_micros(operations& rows) {
  rows.fork_from_main = fork_from_main<Runtime>;
  if constexpr (has_regions<Runtime>) {
    rows.region = region<Runtime>;
    rows.region_from_main = region_from_main<Runtime>;
  }
  if constexpr (has_futures<Runtime>) {
    rows.async_get = async_get<Runtime>;
  }
  if constexpr (has_continuations<Runtime>) {
    rows.then_chain = then_chain<Runtime>;
  }
  if constexpr (has_joins<Runtime>) {
    rows.when_all = when_all<Runtime>;
  }
  if constexpr (has_semaphore<Runtime>) {
    rows.suspend_resume = suspend_resume<Runtime>;
  }
  if constexpr (has_mutex<Runtime>) {
    rows.mutex = mutex<Runtime>;
  }
  if constexpr (has_channel<Runtime>) {
    rows.channel = channel<Runtime>;
  }
  if constexpr (has_yield<Runtime>) {
    rows.yield = yield<Runtime>;
  }
  if constexpr (runs_forks_concurrently<Runtime>) {
    rows.wake = wake<Runtime>;
  }
}

}  // namespace weft::lab::tasks::bodies
