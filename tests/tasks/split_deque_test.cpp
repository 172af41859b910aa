// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The split deque: what the owner and thieves get out is what the owner put in, once.
#include "weft/tasks/detail/deque/split_deque.hpp"

#include <atomic>
#include <cstddef>
#include <deque>

#include <gtest/gtest.h>

#include "tasks/deque_stress.hpp"

namespace split_deque_test {

using weft::tasks::detail::claim;
using weft::tasks::detail::split_deque;
using weft::tests::deque_stress;
using weft::tests::item;
using weft::tests::num_not_taken_once;
namespace request = weft::tasks::detail::request;

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

  EXPECT_FALSE(tasks.claim_any(items[1]));
  EXPECT_EQ(tasks.claim_slowly(items[1], items[1].place), claim::mine);
  EXPECT_EQ(tasks.claim_slowly(items[1], items[1].place), claim::elsewhere) << "only once";
  EXPECT_EQ(tasks.claim_slowly(items[2], items[2].place), claim::mine);
  EXPECT_TRUE(tasks.claim_any(items[3]));
  EXPECT_TRUE(tasks.claim_any(items[0])) << "the holes are gone";
  EXPECT_TRUE(tasks.looks_empty());
}

TEST(SplitDeque, the_size_estimate_is_exact_while_nothing_moves) {
  split_deque tasks(8);
  std::deque<item> items(30);
  EXPECT_EQ(tasks.size_estimate(), 0u);

  for (std::size_t i = 0; i < items.size(); ++i) {
    tasks.push(items[i]);
    EXPECT_EQ(tasks.size_estimate(), i + 1) << "also while the ring grows";
  }
  tasks.ask(request::publish);
  EXPECT_FALSE(tasks.answer());
  EXPECT_EQ(tasks.size_estimate(), items.size()) << "public or private";
  for (std::size_t left = items.size(); left > 0; --left) {
    ASSERT_NE(left % 3 == 0 ? tasks.steal() : tasks.pop(), nullptr);
    EXPECT_EQ(tasks.size_estimate(), left - 1);
  }
  for (int lap = 0; lap < 100; ++lap) {
    tasks.push(items[0]);
    EXPECT_EQ(tasks.size_estimate(), 1u);
    EXPECT_EQ(tasks.take_oldest(), &items[0]);
    EXPECT_EQ(tasks.size_estimate(), 0u);
  }
}

TEST(SplitDeque, a_private_task_below_others_is_claimed_and_they_stay) {
  split_deque tasks(4);
  std::deque<item> items(5);
  for (item& i : items) {
    i.place = tasks.push(i);
  }

  EXPECT_TRUE(tasks.claim_inside(items[3], items[3].place));
  EXPECT_FALSE(tasks.claim_inside(items[3], items[3].place)) << "only once";
  EXPECT_EQ(tasks.claim_slowly(items[3], items[3].place), claim::elsewhere) << "only once";
  EXPECT_FALSE(tasks.claim_inside(items[0], items[0].place)) << "the ring has grown since";
  EXPECT_FALSE(tasks.claim_inside(items[4], items[3].place)) << "it lies elsewhere";
  EXPECT_FALSE(tasks.claim_inside(items[4], nullptr)) << "it lies in no deque";
  EXPECT_TRUE(tasks.claim_any(items[4])) << "and the hole below it is gone";
  EXPECT_EQ(tasks.pop(), &items[2]);
  EXPECT_EQ(tasks.pop(), &items[1]);
  EXPECT_EQ(tasks.pop(), &items[0]);
  EXPECT_TRUE(tasks.looks_empty());
}

TEST(SplitDeque, all_are_claimed_in_the_order_of_their_pushes_in_every_lap) {
  split_deque tasks(8);
  std::deque<item> items(3);
  int num_slow = 0;
  for (int lap = 0; lap < 100; ++lap) {
    for (item& i : items) {
      i.place = tasks.push(i);
    }
    for (item& i : items) {
      if (!tasks.claim_any(i) && !tasks.claim_inside(i, i.place)) {
        ASSERT_EQ(tasks.claim_slowly(i, i.place), claim::mine);
        ++num_slow;
      }
    }
    ASSERT_EQ(tasks.pop(), nullptr);
  }
  EXPECT_LT(num_slow, 100) << "only where the ring ends between them";
}

TEST(SplitDeque, a_task_below_others_stays_if_something_is_asked_for_or_it_is_public) {
  split_deque tasks;
  std::deque<item> items(2);
  for (item& i : items) {
    i.place = tasks.push(i);
  }

  tasks.ask(request::publish);
  EXPECT_FALSE(tasks.claim_inside(items[0], items[0].place));
  tasks.withdraw(request::publish);
  tasks.publish_all();
  EXPECT_FALSE(tasks.claim_inside(items[0], items[0].place));
  EXPECT_EQ(tasks.steal(), &items[0]);
  EXPECT_EQ(tasks.pop(), &items[1]);
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

void expect_all_taken_once(const deque_stress& options) {
  EXPECT_EQ(num_not_taken_once(options), 0) << "seed " << options.seed;
}

TEST(SplitDeque, every_task_is_taken_once_under_stress) {
  for (const unsigned num_thieves : {1U, 3U}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      expect_all_taken_once({.num_thieves = num_thieves, .capacity = 4, .seed = seed});
    }
  }
}

TEST(SplitDeque, every_task_is_taken_once_without_membarrier) {
  expect_all_taken_once({.num_thieves = 2, .capacity = 16, .seed = 7, .is_fenced = true});
}

}  // namespace split_deque_test
