// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Condition variables: who is woken, time limits, stop requests, and a bounded queue as a stress.
#include "weft/tasks/condition_variable.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <stop_token>

#include <gtest/gtest.h>

#include "weft/tasks/inplace_stop_token.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/stop_token.hpp"

#include "tasks/on_workers.hpp"

namespace condition_variable_test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class ConditionVariable : public weft::test::OnWorkers {};

TEST_P(ConditionVariable, a_notified_waiter_goes_on) {
  weft::mutex mutex;
  weft::condition_variable changed;
  bool is_set = false;

  run_tasks_and_threads(8, [&](int i) {
    std::unique_lock lock(mutex);
    if (i == 5) {
      is_set = true;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return is_set; });
    EXPECT_TRUE(lock.owns_lock());
  });

  EXPECT_TRUE(is_set);
}

TEST_P(ConditionVariable, notify_one_wakes_in_order_of_arrival) {
  weft::mutex mutex;
  weft::condition_variable turn;
  weft::condition_variable arrived;
  int num_waiting = 0;
  std::deque<int> woken;

  run_tasks(5, [&](int i) {
    std::unique_lock lock(mutex);
    if (i == 4) {
      for (int n = 0; n < 4; ++n) {
        arrived.wait(lock, [&] { return num_waiting == 4; });
        const auto before = woken.size();
        turn.notify_one();
        arrived.wait(lock, [&] { return woken.size() == before + 1; });
      }
      return;
    }
    const int place = num_waiting++;
    arrived.notify_all();
    turn.wait(lock);
    woken.push_back(place);
    arrived.notify_all();
  });

  EXPECT_EQ(woken, (std::deque{0, 1, 2, 3}));
}

/// A queue with room for three, the textbook way.
template <class Mutex, class Condition>
class bounded_queue {
 public:
  void put(int value) {
    std::unique_lock lock(mutex_);
    has_room_.wait(lock, [&] { return values_.size() < 3; });
    values_.push_back(value);
    has_value_.notify_one();
  }
  int take() {
    std::unique_lock lock(mutex_);
    has_value_.wait(lock, [&] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop_front();
    has_room_.notify_one();
    return value;
  }

 private:
  Mutex mutex_;
  Condition has_room_;
  Condition has_value_;
  std::deque<int> values_;
};

template <class Mutex, class Condition>
void pass_numbers(const auto& run) {
  constexpr int num_pairs = 4;
  constexpr int num_values = 200;
  bounded_queue<Mutex, Condition> queue;
  std::atomic<long> sum{0};

  run(2 * num_pairs, [&](int i) {
    for (int n = 1; n <= num_values; ++n) {
      if ((i / 2) % 2 == 0) {
        queue.put(n);
      } else {
        sum += queue.take();
      }
    }
  });

  EXPECT_EQ(sum, long{num_pairs} * num_values * (num_values + 1) / 2);
}

TEST_P(ConditionVariable, producers_and_consumers_meet) {
  pass_numbers<weft::mutex, weft::condition_variable>(
      [&](int count, const auto& body) { run_tasks_and_threads(count, body); });
}

TEST_P(ConditionVariable, producers_and_consumers_meet_with_any_lock) {
  pass_numbers<weft::timed_mutex, weft::condition_variable_any>(
      [&](int count, const auto& body) { run_tasks_and_threads(count, body); });
}

TEST_P(ConditionVariable, time_limit_ends_the_wait) {
  weft::mutex mutex;
  weft::condition_variable never;

  run_tasks_and_threads(6, [&](int) {
    std::unique_lock lock(mutex);
    const auto limit = steady_clock::now() + 5ms;
    while (never.wait_until(lock, limit) == weft::cv_status::no_timeout) {
    }
    EXPECT_GE(steady_clock::now(), limit);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(never.wait_for(lock, -1s, [] { return false; }));
  });
}

TEST_P(ConditionVariable, a_time_limit_far_away_is_no_limit) {
  weft::mutex mutex;
  weft::condition_variable changed;
  bool is_set = false;

  run_tasks(2, [&](int i) {
    std::unique_lock lock(mutex);
    if (i == 1) {
      is_set = true;
      changed.notify_all();
    } else {
      EXPECT_TRUE(changed.wait_for(lock, std::chrono::hours::max(), [&] { return is_set; }));
    }
  });
}

TEST_P(ConditionVariable, no_notification_is_lost_to_a_time_limit) {
  weft::mutex mutex;
  weft::condition_variable has_token;
  int num_tokens = 0;
  constexpr int num_rounds = 100;
  std::atomic<int> num_taken{0};

  run_tasks_and_threads(6, [&](int i) {
    for (int round = 0; round < num_rounds; ++round) {
      std::unique_lock lock(mutex);
      if (i < 3) {
        ++num_tokens;
        has_token.notify_one();
        continue;
      }
      const auto limit = std::chrono::microseconds((round * 11) % 60);
      while (!has_token.wait_for(lock, limit, [&] { return num_tokens > 0; })) {
      }
      --num_tokens;
      ++num_taken;
    }
  });

  EXPECT_EQ(num_taken, 3 * num_rounds);
}

TEST_P(ConditionVariable, a_predicate_that_holds_is_asked_no_more) {
  weft::mutex mutex;
  weft::condition_variable_any changed;
  int num_tokens = 1;
  const auto take = [&] { return num_tokens-- > 0; };

  run_tasks(1, [&](int) {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait(lock, std::stop_token{}, take));
  });

  EXPECT_EQ(num_tokens, 0);
}

TEST_P(ConditionVariable, a_stop_request_ends_the_wait) {
  weft::mutex mutex;
  weft::condition_variable_any never;
  const auto stop_by = [&](auto make_source) {
    auto source = make_source();
    run_tasks(3, [&](int i) {
      if (i == 2) {
        source.request_stop();
        return;
      }
      std::unique_lock lock(mutex);
      EXPECT_FALSE(never.wait(lock, source.get_token(), [] { return false; }));
      EXPECT_TRUE(lock.owns_lock());
    });
  };

  for (int round = 0; round < 20; ++round) {
    stop_by([] { return weft::stop_source(); });
    stop_by([] { return weft::inplace_stop_source(); });
    stop_by([] { return std::stop_source(); });
  }
}

TEST_P(ConditionVariable, a_stop_request_just_before_the_wait_is_not_lost) {
  run_tasks_and_threads(2, [&](int) {
    weft::mutex mutex;
    weft::condition_variable_any never;
    std::stop_source source;
    std::unique_lock lock(mutex);
    const auto limit = steady_clock::now() + 20s;

    EXPECT_FALSE(never.wait_until(lock, source.get_token(), limit, [&] {
      source.request_stop();  // after the loop has asked for one, before the wait
      return false;
    }));

    EXPECT_LT(steady_clock::now(), limit);
    EXPECT_TRUE(lock.owns_lock());
  });
}

WEFT_TEST_ON_WORKERS(ConditionVariable);

}  // namespace condition_variable_test
