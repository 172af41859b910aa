// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The split deque: what the owner and thieves get out is what the owner put in, once.
#include "weft/tasks/detail/split_deque.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tasks/futex.hpp"

namespace {

using weft::tasks::detail::claim;
using weft::tasks::detail::split_deque;
using weft::tasks::detail::task;
using weft::tasks::detail::waiter;
namespace request = weft::tasks::detail::request;

waiter* never_run(task& /*unused*/) noexcept { return nullptr; }

struct item : task {
  item() : task(never_run) {}
  std::atomic<int> times_taken{0};
  split_deque::slot* place = nullptr;
};

void no_barrier() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

TEST(SplitDeque, owner_takes_the_youngest_first) {
  split_deque tasks;
  std::deque<item> items(3);
  for (item& i : items) {
    tasks.push(i);
  }

  EXPECT_EQ(tasks.pop(), &items[2]);
  EXPECT_EQ(tasks.pop(), &items[1]);
  EXPECT_EQ(tasks.pop(), &items[0]);
  EXPECT_EQ(tasks.pop(), nullptr);
}

TEST(SplitDeque, thieves_see_nothing_until_the_owner_is_asked) {
  split_deque tasks;
  std::deque<item> items(4);
  for (item& i : items) {
    tasks.push(i);
  }
  EXPECT_EQ(tasks.steal(), nullptr);

  tasks.ask(request::publish);
  EXPECT_TRUE(tasks.is_asked());
  EXPECT_FALSE(tasks.answer());

  EXPECT_FALSE(tasks.is_asked());
  EXPECT_EQ(tasks.steal(), &items[0]);
  EXPECT_EQ(tasks.steal(), &items[1]);
  EXPECT_EQ(tasks.steal(), nullptr);
  EXPECT_EQ(tasks.pop(), &items[3]);
}

TEST(SplitDeque, answer_tells_when_a_sleeper_must_be_woken) {
  split_deque tasks;
  item only;

  tasks.ask(request::sleepers);
  EXPECT_FALSE(tasks.answer()) << "nothing to share";
  tasks.push(only);
  EXPECT_TRUE(tasks.answer());
  EXPECT_FALSE(tasks.answer()) << "one wake is enough";
}

TEST(SplitDeque, owner_reclaims_what_nobody_took) {
  split_deque tasks;
  std::deque<item> items(8);
  for (item& i : items) {
    i.place = tasks.push(i);
  }
  tasks.publish_all();

  EXPECT_EQ(tasks.steal(), &items[0]);
  for (std::size_t i = 7; i >= 1; --i) {
    EXPECT_EQ(tasks.claim_slowly(items[i], items[i].place), claim::mine) << i;
  }
  EXPECT_EQ(tasks.claim_slowly(items[0], items[0].place), claim::elsewhere);
  EXPECT_EQ(tasks.pop(), nullptr);
}

TEST(SplitDeque, claims_below_the_top_leave_holes_that_nobody_sees) {
  split_deque tasks;
  std::deque<item> items(4);
  for (item& i : items) {
    i.place = tasks.push(i);
  }

  EXPECT_FALSE(tasks.claim_any(items[1], items[1].place));
  EXPECT_EQ(tasks.claim_slowly(items[1], items[1].place), claim::mine);
  EXPECT_EQ(tasks.claim_slowly(items[1], items[1].place), claim::elsewhere) << "only once";
  EXPECT_EQ(tasks.claim_slowly(items[2], items[2].place), claim::mine);
  EXPECT_TRUE(tasks.claim_any(items[3], items[3].place));
  EXPECT_TRUE(tasks.claim_any(items[0], items[0].place)) << "the holes are gone";
  EXPECT_TRUE(tasks.looks_empty());
}

TEST(SplitDeque, holes_that_were_published_are_stolen_by_nobody) {
  split_deque tasks;
  std::deque<item> items(3);
  for (item& i : items) {
    i.place = tasks.push(i);
  }
  EXPECT_EQ(tasks.claim_slowly(items[1], items[1].place), claim::mine);
  tasks.publish_all();

  EXPECT_EQ(tasks.steal(), &items[0]);
  EXPECT_EQ(tasks.steal(), &items[2]);
  EXPECT_EQ(tasks.steal(), nullptr);
}

TEST(SplitDeque, grows_and_wraps_round) {
  split_deque tasks(4);
  std::deque<item> items(1000);
  std::size_t stolen = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    tasks.push(items[i]);
    if (i % 3 == 0) {
      ASSERT_EQ(tasks.take_oldest(), &items[stolen++]);
    }
  }

  for (std::size_t i = items.size(); i-- > stolen;) {
    ASSERT_EQ(tasks.pop(), &items[i]);
  }
  EXPECT_EQ(tasks.pop(), nullptr);
}

TEST(SplitDeque, a_ring_once_full_holds_no_old_task_below_the_oldest) {
  for (const std::size_t num_stolen : {0U, 1U, 3U, 7U}) {
    for (const std::size_t num_pushed : {6U, 7U, 8U, 15U, 16U}) {
      split_deque tasks(8);
      std::deque<item> items(num_stolen + num_pushed);
      for (std::size_t i = 0; i < num_stolen; ++i) {
        tasks.push(items[i]);
        ASSERT_EQ(tasks.take_oldest(), &items[i]);
      }
      for (std::size_t i = num_stolen; i < items.size(); ++i) {
        items[i].place = tasks.push(items[i]);
      }
      for (std::size_t i = items.size(); i-- > num_stolen;) {
        ASSERT_TRUE(tasks.claim_top(items[i], items[i].place) ||
                    tasks.claim_slowly(items[i], items[i].place) == claim::mine);
      }

      EXPECT_EQ(tasks.pop(), nullptr) << num_pushed << " after " << num_stolen;
      tasks.push(items[0]);
      EXPECT_FALSE(tasks.looks_empty()) << num_pushed << " after " << num_stolen;
    }
  }
}

TEST(SplitDeque, a_thief_publishes_for_an_owner_that_does_not_answer) {
  split_deque tasks;
  std::deque<item> items(3);
  for (item& i : items) {
    i.place = tasks.push(i);
  }

  EXPECT_TRUE(tasks.force_publish(no_barrier));
  EXPECT_TRUE(tasks.is_asked()) << "until the owner acknowledges";
  EXPECT_FALSE(tasks.claim_top(items[2], items[2].place)) << "it is public now";
  EXPECT_EQ(tasks.claim_slowly(items[2], items[2].place), claim::mine);
  EXPECT_FALSE(tasks.is_asked());
  EXPECT_EQ(tasks.steal(), &items[0]);
}

// Everything at once: the owner pushes and takes back in random order while thieves steal, ask and
// force; every task is taken exactly once.
void stress(unsigned num_thieves, bool is_fenced, std::size_t capacity, unsigned seed) {
  constexpr std::size_t num_items = 60'000;
  split_deque tasks(capacity);
  std::deque<item> items(num_items);
  std::atomic<bool> is_done{false};
  const bool has_barrier = !is_fenced && weft::tasks::detail::enable_barrier_for_all();
  if (!has_barrier) {
    tasks.ask(request::fenced);
  }
  std::vector<std::thread> thieves;
  for (unsigned n = 0; n < num_thieves; ++n) {
    thieves.emplace_back([&, n] {
      std::mt19937 random(seed + n + 1);
      while (!is_done.load()) {
        if (auto* stolen = static_cast<item*>(tasks.steal())) {
          ++stolen->times_taken;
        } else if (random() % 4 == 0) {
          tasks.force_publish(has_barrier ? weft::tasks::detail::barrier_for_all : no_barrier);
        } else {
          tasks.ask(request::publish);
        }
      }
    });
  }

  std::mt19937 random(seed);
  std::vector<item*> pending;
  std::size_t next = 0;
  const auto take_back = [&](std::size_t position) {
    item* chosen = pending[position];
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(position));
    if (tasks.claim_any(*chosen, chosen->place) ||
        tasks.claim_slowly(*chosen, chosen->place) == claim::mine) {
      ++chosen->times_taken;
    }
  };
  while (next < num_items) {
    const auto dice = random() % 16;
    if (pending.empty() || dice < 8) {
      item& fresh = items[next++];
      fresh.place = tasks.push(fresh);
      pending.push_back(&fresh);
      if (tasks.is_asked()) {
        (void)tasks.answer();
      }
    } else if (dice < 14) {
      take_back(pending.size() - 1);
    } else if (dice == 14) {
      take_back(random() % pending.size());
    } else if (auto* popped = static_cast<item*>(tasks.pop())) {
      ++popped->times_taken;
    }
    if (pending.size() > 200) {
      pending.clear();
    }
  }
  while (auto* popped = static_cast<item*>(tasks.pop())) {
    ++popped->times_taken;
  }
  is_done.store(true);
  for (std::thread& thief : thieves) {
    thief.join();
  }
  while (auto* popped = static_cast<item*>(tasks.pop())) {
    ++popped->times_taken;
  }

  for (std::size_t i = 0; i < num_items; ++i) {
    ASSERT_EQ(items[i].times_taken.load(), 1) << "item " << i << ", seed " << seed;
  }
}

TEST(SplitDeque, every_task_is_taken_once_under_stress) {
  for (const unsigned num_thieves : {1U, 3U}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      stress(num_thieves, false, 4, seed);
    }
  }
}

TEST(SplitDeque, every_task_is_taken_once_without_membarrier) { stress(2, true, 16, 7); }

}  // namespace
