// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that are no workers and take part in the calls that they make.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/forked.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/post.hpp"

#include "tasks/scheduler/scheduler.hpp"
#include "tasks/scheduler/visit_word.hpp"

namespace visit_test {

using weft::tasks::detail::forked;
using weft::tasks::detail::scheduler;
using weft::tasks::detail::self;

weft::tasks::detail::scheduler_options with_workers(unsigned count) {
  weft::tasks::detail::scheduler_options options;
  options.num_workers = count;
  return options;
}

template <class F>
auto call(scheduler& home, F body) {
  forked<F> root(body);
  weft::tasks::detail::run_visiting_or_wait(home, root);
  return root.take();
}

void wait_until_all_sleep(const scheduler& home) {
  while (home.num_idle() != home.num_workers()) {
    std::this_thread::yield();
  }
}

TEST(Visit, the_calling_thread_runs_what_it_calls_while_a_worker_sleeps) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);

  const std::thread::id ran_on = call(home, [] { return std::this_thread::get_id(); });

  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_EQ(self(), nullptr);
}

TEST(Visit, with_one_worker_it_leaves_everything_to_it) {
  scheduler home(with_workers(1));
  wait_until_all_sleep(home);

  const std::thread::id ran_on = call(home, [] { return std::this_thread::get_id(); });

  EXPECT_NE(ran_on, std::this_thread::get_id());
}

/// Both parts have to run at once: workers come to help, and the visitor goes on when it cannot.
TEST(Visit, tasks_of_a_visit_may_wait_for_each_other) {
  scheduler home(with_workers(2));
  for (int round = 0; round < 200; ++round) {
    weft::event first;
    weft::event second;
    bool is_second_done = false;
    call(home, [&] {
      weft::fork_join(
          [&] {
            first.set();
            second.wait();
          },
          [&] {
            first.wait();
            second.set();
            is_second_done = true;
          });
    });
    EXPECT_TRUE(is_second_done);
  }
}

TEST(Visit, what_it_runs_may_throw) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);

  EXPECT_THROW(call(home, [] { throw std::runtime_error("from within"); }), std::runtime_error);
}

struct visitor_counts {
  unsigned num_places = 0;
  std::uint64_t stacks_acquired = 0;
};

visitor_counts counts_of_visitors(const scheduler& home) {
  visitor_counts found;
  home.for_each_visitor([&](const weft::tasks::detail::worker& w) {
    ++found.num_places;
    found.stacks_acquired += w.count->stacks_acquired.value();
  });
  return found;
}

TEST(Visit, the_next_one_begins_on_the_stack_of_the_last_one) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);
  constexpr int num_calls = 100;

  int num_run = 0;
  for (int i = 0; i < num_calls; ++i) {
    call(home, [&] { ++num_run; });
  }

  EXPECT_EQ(num_run, num_calls);
#if !defined(WEFT_COUNTERS_OFF)
  EXPECT_EQ(counts_of_visitors(home).stacks_acquired, 1U);
#endif
}

/// The place keeps nothing of a thread that has gone, whose stack may be somebody else's.
TEST(Visit, threads_that_come_and_go_share_a_place) {
  scheduler home(with_workers(2));
  constexpr int num_threads = 50;
  int num_right = 0;
  for (int i = 0; i < num_threads; ++i) {
    wait_until_all_sleep(home);
    std::thread([&] {
      for (int j = 0; j < 3; ++j) {
        try {
          call(home, [j] {
            if (j == 1) {
              throw std::runtime_error("from within");
            }
          });
          num_right += j == 1 ? 0 : 1;
        } catch (const std::runtime_error&) {
          num_right += j == 1 ? 1 : 0;
        }
      }
    }).join();
  }

  EXPECT_EQ(num_right, 3 * num_threads);
  EXPECT_EQ(counts_of_visitors(home).num_places, 1U);
}

/// The first part holds the visitor's thread, so that only a worker that slept can run the second.
TEST(Visit, a_sleeping_worker_comes_while_the_visitor_is_busy) {
  scheduler home(with_workers(2));
  constexpr int num_rounds = 100;
  int num_helped = 0;
  for (int round = 0; round < num_rounds && num_helped == round; ++round) {
    wait_until_all_sleep(home);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    std::atomic<bool> is_second_done{false};
    bool is_helped = false;
    call(home, [&] {
      weft::fork_join(
          [&] {
            while (!is_helped && std::chrono::steady_clock::now() < deadline) {
              std::this_thread::yield();
              is_helped = is_second_done;
            }
          },
          [&] { is_second_done = true; });
    });
    num_helped += is_helped ? 1 : 0;
  }
  EXPECT_EQ(num_helped, num_rounds);
}

TEST(Visit, a_runtime_with_few_stacks_gets_those_of_visits_back) {
  weft::tasks::detail::scheduler_options options = with_workers(2);
  options.stacks.max_stacks = 4;
  scheduler home(options);
  wait_until_all_sleep(home);
  const std::size_t num_before = home.stacks().num_live();

  call(home, [] {});

  EXPECT_EQ(home.stacks().num_live(), num_before);
}

/// A task that a thread starts in a place that it holds, and does not wait for.
struct counting_task : weft::tasks::detail::task {
  explicit counting_task(std::atomic<int>& counter)
      : task([](task& t) noexcept -> weft::tasks::detail::waiter* {
          ++*static_cast<counting_task&>(t).num_run;
          return nullptr;
        }),
        num_run(&counter) {}
  std::atomic<int>* num_run;
};

/// The thread holds the place and does not come to work there: its tasks need somebody else.
TEST(HeldPlace, workers_run_what_is_started_there) {
  scheduler home(with_workers(2));
  for (int round = 0; round < 200; ++round) {
    wait_until_all_sleep(home);
    std::atomic<int> num_run{0};
    counting_task first(num_run);
    counting_task second(num_run);
    weft::tasks::detail::worker* const place = home.hold_place();
    ASSERT_NE(place, nullptr);
    home.start_in(*place, first);
    home.start_in(*place, second);
    while (num_run != 2) {  // else the test's time limit ends it
      std::this_thread::yield();
    }
    scheduler::give_back(*place);
  }
}

/// The first task holds a worker, so that the second needs the one whose wake was put off.
TEST(HeldPlace, wakes_are_not_put_off_for_a_thread_that_does_not_come) {
  scheduler home(with_workers(2));
  for (int round = 0; round < 20; ++round) {
    wait_until_all_sleep(home);
    std::atomic<bool> is_second_run{false};
    std::atomic<int> num_run{0};
    auto wait_for_second = [&] {
      while (!is_second_run) {
        std::this_thread::yield();
      }
      ++num_run;
    };
    auto be_second = [&] {
      is_second_run = true;
      ++num_run;
    };
    forked first(wait_for_second);
    forked second(be_second);
    weft::tasks::detail::worker* const place = home.hold_place();
    ASSERT_NE(place, nullptr);
    home.start_in(*place, first);
    home.start_in(*place, second);
    while (num_run != 2) {  // else the test's time limit ends it
      std::this_thread::yield();
    }
    scheduler::give_back(*place);
    home.wait_until_quiescent();
  }
}

TEST(HeldPlace, its_thread_may_visit_elsewhere_meanwhile) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);
  std::atomic<int> num_run{0};
  counting_task before(num_run);
  counting_task after(num_run);
  weft::tasks::detail::worker* const place = home.hold_place();
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(home.hold_place(), nullptr);  // a thread holds one at a time
  home.start_in(*place, before);

  call(home, [&] { weft::fork_join([&] { ++num_run; }, [&] { ++num_run; }); });

  home.start_in(*place, after);
  home.wait_until_quiescent();  // else the test's time limit ends it
  EXPECT_EQ(num_run, 4);
  scheduler::give_back(*place);
}

TEST(HeldPlace, may_be_given_back_during_a_visit_of_its_thread) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);
  int num_held = 0;
  for (int round = 0; round < 1000; ++round) {
    std::atomic<int> num_run{0};
    counting_task only(num_run);
    weft::tasks::detail::worker* const place = home.hold_place();
    if (place == nullptr) {  // all are busy
      continue;
    }
    ++num_held;
    home.start_in(*place, only);
    call(home, [&] { weft::fork_join([&] { scheduler::give_back(*place); }, [&] { ++num_run; }); });
    while (num_run != 2) {  // else the test's time limit ends it
      std::this_thread::yield();
    }
  }
  EXPECT_GT(num_held, 0);
}

TEST(Visit, retired_workers_are_not_searched) {
  scheduler home(with_workers(2));
  for (const unsigned count : {128U, 2U, 64U, 3U, 1U, 4U}) {
    home.resize(static_cast<int>(count));
    while (home.present().size() != count) {  // else the test's time limit ends it
      std::this_thread::yield();
    }
    EXPECT_EQ(call(home, [] { return 7; }), 7);
  }
}

TEST(HeldPlace, with_one_worker_left_its_thread_runs_nothing) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);
  weft::tasks::detail::worker* const place = home.hold_place();
  ASSERT_NE(place, nullptr);
  home.resize(1);
  std::atomic<bool> has_run{false};
  auto body = [&] { has_run = true; };
  forked root(body);
  EXPECT_FALSE(home.visit(root, place));
  EXPECT_FALSE(has_run);
}

TEST(HeldPlace, another_thread_may_give_it_back) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);
  for (unsigned i = 0; i < 2 * weft::tasks::detail::visit_word::most_places; ++i) {
    wait_until_all_sleep(home);
    weft::tasks::detail::worker* const place = home.hold_place();
    ASSERT_NE(place, nullptr);
    std::thread([&] { scheduler::give_back(*place); }).join();
  }

  wait_until_all_sleep(home);
  const std::thread::id ran_on = call(home, [] { return std::this_thread::get_id(); });

  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(HeldPlace, what_is_left_when_it_is_given_back_runs) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);
  std::atomic<int> num_run{0};
  counting_task left(num_run);
  weft::tasks::detail::worker* const place = home.hold_place();
  ASSERT_NE(place, nullptr);
  home.start_in(*place, left);
  scheduler::give_back(*place);
  home.wait_until_quiescent();
  EXPECT_EQ(num_run, 1);
}

TEST(HeldPlace, counts_what_comes_from_outside) {
  scheduler home(with_workers(2));
  wait_until_all_sleep(home);
  const std::uint64_t before = home.num_from_outside();
  std::atomic<int> num_run{0};
  counting_task only(num_run);
  weft::tasks::detail::worker* const place = home.hold_place();
  ASSERT_NE(place, nullptr);
  home.start_in(*place, only);
  scheduler::give_back(*place);
  home.wait_until_quiescent();
  EXPECT_EQ(home.num_from_outside(), before + 1);
}

TEST(HeldPlace, outlives_the_runtime) {
  weft::tasks::detail::worker* place = nullptr;
  std::atomic<int> num_run{0};
  counting_task only(num_run);
  {
    scheduler home(with_workers(2));
    wait_until_all_sleep(home);
    call(home, [] {});  // the place has had a visit, and keeps its stacks
    place = home.hold_place();
    ASSERT_NE(place, nullptr);
    home.start_in(*place, only);
  }
  EXPECT_EQ(num_run, 1);
  scheduler::give_back(*place);
}

TEST(VisitWord, counts_visits_that_overlap) {
  using weft::tasks::detail::visit_word;
  visit_word word;
  for (unsigned i = 0; i < visit_word::most_places; ++i) {
    EXPECT_EQ(word.free_place(), i);
    word.bits += visit_word::visit_in(i);
  }
  EXPECT_EQ(word.free_place(), visit_word::most_places);
  EXPECT_EQ(word.num_visiting(), visit_word::most_places);

  word.bits |= visit_word::is_wake_deferred;
  word.bits += 2 * visit_word::one_idle;
  word.bits -= visit_word::visit_in(5);

  EXPECT_EQ(word.free_place(), 5U);
  EXPECT_EQ(word.num_visiting(), visit_word::most_places - 1);
  EXPECT_EQ(word.num_active(), visit_word::most_places - 3);
  EXPECT_TRUE(word.has_deferred_wake());
}

/// The tree of a sum keeps the visitor's deque and the workers' busy.
std::size_t sum_of_tree(std::size_t first, std::size_t last) {
  if (last - first == 1) {
    return first;
  }
  const std::size_t middle = first + (last - first) / 2;
  auto [x, y] = weft::fork_join([=] { return sum_of_tree(first, middle); },
                                [=] { return sum_of_tree(middle, last); });
  return x + y;
}

class VisitStress : public testing::TestWithParam<unsigned> {};

TEST_P(VisitStress, many_threads_visit_one_runtime) {
  constexpr int num_calls = 300;
  constexpr std::size_t num_leaves = 256;
  std::atomic<int> num_right{0};
  {
    scheduler home(with_workers(GetParam()));
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < num_calls; ++j) {
          const std::size_t sum = call(home, [] { return sum_of_tree(0, num_leaves); });
          num_right += sum == num_leaves * (num_leaves - 1) / 2 ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  EXPECT_EQ(num_right, 4 * num_calls);
}

/// Nobody is told of the last task but by who put a wake off: the one that spins would spin on.
TEST_P(VisitStress, tasks_that_a_visit_leaves_behind_find_a_worker_each) {
  constexpr int num_rounds = 1000;
  std::atomic<int> num_done{0};
  {
    scheduler home(with_workers(GetParam()));
    for (int round = 0; round < num_rounds; ++round) {
      call(home, [&] {
        weft::fork_join(
            [&] {
              weft::post([&] {
                std::atomic<bool> is_seen{false};
                weft::post([&] { is_seen = true; });
                while (!is_seen) {  // holds its thread: somebody else has to come
                  std::this_thread::yield();
                }
                ++num_done;
              });
            },
            [] {});
      });
      while (num_done != round + 1) {
        std::this_thread::yield();
      }
    }
  }
  EXPECT_EQ(num_done, num_rounds);
}

/// Others visit meanwhile, so that wakes are put off: what is started in a held place must not
/// wait for a wake that nobody remembers.
TEST_P(VisitStress, nothing_that_was_started_in_a_held_place_is_forgotten) {
  constexpr int num_rounds = 2000;
  constexpr std::size_t num_leaves = 64;
  int num_held = 0;
  std::atomic<bool> is_over{false};
  scheduler home(with_workers(GetParam()));
  std::vector<std::jthread> others;
  others.reserve(2);
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&, i] {
      while (!is_over) {
        call(home, [] { return sum_of_tree(0, num_leaves); });
        if (i == 1) {
          std::this_thread::sleep_for(std::chrono::microseconds(150));
        }
      }
    });
  }
  for (int round = 0; round < num_rounds; ++round) {
    std::atomic<int> num_run{0};
    std::deque<counting_task> tasks;
    weft::tasks::detail::worker* const place = home.hold_place();
    const int num_tasks = place != nullptr ? 1 + round % 3 : 0;  // null: all are busy
    for (int i = 0; i < num_tasks; ++i) {
      home.start_in(*place, tasks.emplace_back(num_run));
    }
    while (num_run != num_tasks) {  // else the test's time limit ends it
      std::this_thread::yield();
    }
    if (place != nullptr) {
      ++num_held;
      scheduler::give_back(*place);
    }
    if (round % 50 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // all fall asleep
    }
  }
  is_over = true;
  EXPECT_GT(num_held, 0);
}

/// Each holds its worker until all have begun, while a visitor comes and goes.
TEST_P(VisitStress, as_many_tasks_from_outside_as_workers_run_at_once) {
  constexpr int num_rounds = 500;
  const auto num_tasks = static_cast<int>(GetParam());
  std::atomic<bool> is_over{false};
  scheduler home(with_workers(GetParam()));
  std::jthread other([&] {
    while (!is_over) {
      call(home, [] { return sum_of_tree(0, 64); });
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
  for (int round = 0; round < num_rounds; ++round) {
    std::atomic<int> num_begun{0};
    std::atomic<int> num_ended{0};
    auto body = [&] {
      ++num_begun;
      while (num_begun != num_tasks) {  // else the test's time limit ends it
        std::this_thread::yield();
      }
      ++num_ended;
    };
    std::deque<forked<decltype(body)>> tasks;
    for (int i = 0; i < num_tasks; ++i) {
      home.inject(tasks.emplace_back(body));
    }
    for (forked<decltype(body)>& each : tasks) {
      weft::tasks::detail::wait_for_completion(each, {.kind = "test", .object = &each});
    }
    EXPECT_EQ(num_ended, num_tasks);
    if (round % 3 != 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(20 * (round % 7)));
    }
  }
  is_over = true;
}

INSTANTIATE_TEST_SUITE_P(Workers, VisitStress, testing::Values(2U, 3U, 8U));

}  // namespace visit_test
