// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime as a whole: random programs of forks and waits against a serial oracle, storms of
// sleeping and waking, deep waits, and unbalanced trees.
#include <chrono>
#include <cstdint>
#include <mutex>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/fork_join.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace stress_test {

namespace detail = weft::tasks::detail;

template <class F>
auto run_on(detail::scheduler& home, F body) {
  detail::forked task(body);
  detail::run_and_wait(home, task);
  return task.take();
}

class Stress : public testing::TestWithParam<unsigned> {
 protected:
  detail::scheduler home{{.num_workers = GetParam(), .stacks = {}}};
};

std::uint64_t mix(std::uint64_t x) noexcept {  // splitmix64, Steele, Lea and Flood 2014
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// Suspends the calling task until a task that is started here resumes it, perhaps on another
// worker.
void hop() {
  struct waker : detail::task {
    waker() : task(run_waker) {}
    static detail::waiter* run_waker(detail::task& t) noexcept {
      return static_cast<waker&>(t).sleeper;
    }
    detail::waiter* sleeper = nullptr;
  } other;
  const detail::wait_reason why{.kind = "hop", .object = &other};
  detail::wait(why, [&other](detail::waiter& node) noexcept {
    other.sleeper = &node;
    detail::start(*node.home, other);
    return true;
  });
}

// A program that is a tree of calls: what a node does follows from its key alone.
std::uint64_t serial(std::uint64_t key, int depth) {
  const std::uint64_t dice = mix(key);
  if (depth == 0 || dice % 8 == 0) {
    return dice;
  }
  return mix(serial(2 * key, depth - 1) - serial(2 * key + 1, depth - 1));
}

std::uint64_t parallel(std::uint64_t key, int depth) {
  const std::uint64_t dice = mix(key);
  if (dice % 16 == 1) {
    hop();
  }
  if (depth == 0 || dice % 8 == 0) {
    return dice;
  }
  auto [x, y] = weft::fork_join(
      [&] {
        const std::uint64_t result = parallel(2 * key, depth - 1);
        if (dice % 32 == 2) {
          hop();
        }
        return result;
      },
      [&] { return parallel(2 * key + 1, depth - 1); });
  if (dice % 16 == 3) {
    hop();
  }
  return mix(x - y);
}

TEST_P(Stress, random_programs_give_the_serial_result) {
  constexpr int depth = 14;
  for (std::uint64_t key = 1; key <= 20; ++key) {
    ASSERT_EQ(run_on(home, [key] { return parallel(key, depth); }), serial(key, depth)) << key;
  }
}

TEST_P(Stress, workers_wake_whenever_a_task_comes_from_outside) {
  std::mt19937 random(GetParam());
  for (int i = 0; i < 1500; ++i) {
    ASSERT_EQ(run_on(home, [i] { return i; }), i);
    // Around the time after which a worker stops searching.
    const auto next = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 120);
    while (std::chrono::steady_clock::now() < next) {
      detail::spin_pause();
    }
  }
}

// Lets everybody through once it is open.
class gate {
 public:
  void pass() {
    const detail::wait_reason why{.kind = "gate", .object = this};
    detail::wait(why, [this](detail::waiter& node) noexcept {
      const std::lock_guard guard(lock_);
      node.next = waiting_;
      waiting_ = is_open_ ? waiting_ : &node;
      return !is_open_;
    });
  }

  void open() {
    detail::waiter* ready = nullptr;
    {
      const std::lock_guard guard(lock_);
      is_open_ = true;
      ready = std::exchange(waiting_, nullptr);
    }
    while (ready != nullptr) {
      detail::resume(*std::exchange(ready, ready->next));
    }
  }

 private:
  detail::spin_lock lock_;
  bool is_open_ = false;
  detail::waiter* waiting_ = nullptr;
};

// Every level waits for the deepest, which the task that waits has forked.
int waits_nested(gate& deepest, int depth) {
  if (depth == 0) {
    deepest.open();
    return 0;
  }
  auto [here, below] = weft::fork_join(
      [&] {
        deepest.pass();
        return 1;
      },
      [&] { return waits_nested(deepest, depth - 1); });
  return here + below;
}

TEST_P(Stress, a_thousand_waits_nest) {
  gate deepest;

  EXPECT_EQ(run_on(home, [&] { return waits_nested(deepest, 1000); }), 1000);
}

// A tree in which one child in a while goes on: as deep and as unbalanced as the published
// Unbalanced Tree Search inputs, and with a spine that makes sure of the depth.
std::uint64_t count_nodes(std::uint64_t key, int spine) {
  const bool goes_on = spine > 0 || mix(key) % 100 < 45;
  if (!goes_on) {
    return 1;
  }
  auto [x, y] =
      weft::fork_join([=] { return count_nodes(mix(key + 1), spine > 0 ? spine - 1 : 0); },
                      [=] { return count_nodes(mix(key + 2), 0); });
  return 1 + x + y;
}

std::uint64_t count_small(std::uint64_t key) {
  return mix(key) % 100 < 45 ? 1 + count_small(mix(key + 1)) + count_small(mix(key + 2)) : 1;
}

std::uint64_t count_serially(std::uint64_t key, int spine) {
  std::uint64_t sum = 0;
  for (; spine > 0; --spine) {
    sum += 1 + count_small(mix(key + 2));
    key = mix(key + 1);
  }
  return sum + count_small(key);
}

TEST_P(Stress, unbalanced_trees_eighteen_thousand_deep) {
  constexpr int depth = 18'000;

  EXPECT_EQ(run_on(home, [] { return count_nodes(1, depth); }), count_serially(1, depth));
}

INSTANTIATE_TEST_SUITE_P(Workers, Stress, testing::Values(1, 2, 4, 16));

}  // namespace stress_test
