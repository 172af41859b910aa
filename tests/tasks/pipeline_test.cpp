// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pipelines: order, bounds, types, exceptions and cancellation, with any number of workers.
#include "weft/tasks/pipeline.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/tasks/event.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/with_workers.hpp"

namespace pipeline_test {

namespace stage = weft::stage;

/// Returns 0 to n - 1.
auto numbers(int n) {
  return [n, next = 0]() mutable { return next < n ? std::optional(next++) : std::nullopt; };
}

/// Notes the most calls that ran at once.
class overlap {
 public:
  void enter() {
    const int now = ++num_inside_;
    int before = most_.load();
    while (before < now && !most_.compare_exchange_weak(before, now)) {
    }
  }
  void leave() { --num_inside_; }
  [[nodiscard]] int most() const { return most_.load(); }

 private:
  std::atomic<int> num_inside_{0};
  std::atomic<int> most_{0};
};

/// Yields a number of times that differs from value to value.
void dawdle(int value) {
  for (int i = 0; i < (value * 7) % 5; ++i) {
    weft::this_task::yield();
  }
}

class Pipeline : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{weft::test::with_workers(GetParam())};
};

TEST_P(Pipeline, values_arrive_in_order) {
  std::vector<std::string> arrived;
  const weft::task_group_status ended = runtime.run([&] {
    return weft::pipeline(
        {.num_tokens = 8},
        stage::serial_in_order(numbers(500)),
        stage::parallel([](int value) {
          dawdle(value);
          return std::make_unique<int>(value);
        }),
        stage::serial_in_order([](std::unique_ptr<int> value) { return std::to_string(*value); }),
        stage::parallel([](std::string text) {
          dawdle(std::stoi(text) + 3);
          return text;
        }),
        stage::serial_in_order([&](std::string text) { arrived.push_back(std::move(text)); }));
  });

  EXPECT_EQ(ended, weft::task_group_status::complete);
  ASSERT_EQ(arrived.size(), 500U);
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    ASSERT_EQ(arrived[i], std::to_string(i));
  }
}

TEST_P(Pipeline, serial_stages_get_one_value_at_a_time_and_each_once) {
  overlap source;
  overlap middle;
  std::vector<int> num_seen(400);
  runtime.run([&] {
    auto next = numbers(400);
    weft::pipeline({.num_tokens = 16},
                   stage::serial_out_of_order([&] {
                     source.enter();
                     auto made = next();
                     weft::this_task::yield();
                     source.leave();
                     return made;
                   }),
                   stage::parallel([](int value) {
                     dawdle(value);
                     return value;
                   }),
                   stage::serial_out_of_order([&](int value) {
                     middle.enter();
                     dawdle(value + 1);
                     ++num_seen[static_cast<std::size_t>(value)];
                     middle.leave();
                   }));
  });

  EXPECT_EQ(source.most(), 1);
  EXPECT_EQ(middle.most(), 1);
  EXPECT_EQ(num_seen, std::vector<int>(400, 1));
}

TEST_P(Pipeline, no_more_values_than_tokens_are_on_their_way) {
  for (const std::size_t num_tokens : {std::size_t{1}, std::size_t{3}, std::size_t{64}}) {
    overlap on_the_way;
    int last = -1;
    runtime.run([&] {
      auto next = numbers(200);
      weft::pipeline({.num_tokens = num_tokens},
                     stage::serial_in_order([&] {
                       auto made = next();
                       if (made) {
                         on_the_way.enter();
                       }
                       return made;
                     }),
                     stage::parallel([](int value) {
                       dawdle(value);
                       return value;
                     }),
                     stage::serial_in_order([&](int value) {
                       last = value;
                       on_the_way.leave();
                     }));
    });

    ASSERT_EQ(last, 199);
    ASSERT_LE(on_the_way.most(), static_cast<int>(num_tokens));
  }
}

TEST_P(Pipeline, as_many_values_as_tokens_are_on_their_way_if_they_wait) {
  constexpr int num_tokens = 6;
  std::atomic<int> num_inside{0};
  weft::event all_are_there;
  runtime.run([&] {
    weft::pipeline({.num_tokens = num_tokens},
                   stage::serial_in_order(numbers(num_tokens)),
                   stage::parallel([&](int /*value*/) {
                     if (++num_inside == num_tokens) {
                       all_are_there.set();
                     }
                     all_are_there.wait();
                   }));
  });

  EXPECT_EQ(num_inside.load(), num_tokens);
}

TEST_P(Pipeline, a_parallel_source_is_called_for_several_values_at_once) {
  std::atomic<int> next{0};
  std::vector<std::atomic<int>> num_seen(300);
  std::atomic<int> num_numbered{0};
  runtime.run([&] {
    weft::pipeline(
        {},
        stage::parallel([&]() -> std::optional<int> {
          const int mine = next++;
          weft::this_task::yield();
          return mine < 300 ? std::optional(mine) : std::nullopt;
        }),
        stage::serial_in_order([&](int value) {
          ++num_numbered;
          return value;
        }),
        stage::parallel([&](int value) { ++num_seen[static_cast<std::size_t>(value)]; }));
  });

  EXPECT_EQ(num_numbered.load(), 300);
  for (const std::atomic<int>& seen : num_seen) {
    ASSERT_EQ(seen.load(), 1);
  }
}

TEST_P(Pipeline, ends_without_values) {
  int num_called = 0;
  runtime.run([&] {
    weft::pipeline(
        {}, stage::serial_in_order(numbers(0)), stage::serial_in_order([&](int) { ++num_called; }));
    weft::pipeline({}, stage::serial_in_order(numbers(5)));
  });

  EXPECT_EQ(num_called, 0);
}

TEST(PipelineOfThread, can_be_called_by_an_ordinary_thread) {
  long sum = 0;
  weft::pipeline({.num_tokens = 4},
                 stage::serial_in_order(numbers(100)),
                 stage::parallel([](int value) { return 2L * value; }),
                 stage::serial_in_order([&](long value) { sum += value; }));

  EXPECT_EQ(sum, 9900);
}

/// Counts the values that are alive.
struct counted {
  explicit counted(std::atomic<int>& count) : alive(&count) { ++*alive; }
  counted(counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
  counted& operator=(counted&& other) noexcept {
    std::swap(alive, other.alive);
    return *this;
  }
  ~counted() {
    if (alive != nullptr) {
      --*alive;
    }
  }
  std::atomic<int>* alive;
};

TEST_P(Pipeline, an_exception_of_any_stage_ends_it_and_reaches_the_caller) {
  for (int where = 0; where < 4; ++where) {
    std::atomic<int> num_alive{0};
    const auto throw_at = [where](int here, int value) {
      if (where == here && value == 20) {
        throw std::runtime_error(std::to_string(here));
      }
    };
    runtime.run([&] {
      using item = std::pair<int, counted>;
      const auto run = [&] {
        int next = 0;
        weft::pipeline({.num_tokens = 8},
                       stage::serial_in_order([&] {
                         throw_at(0, next);
                         return std::optional<item>({next++, counted(num_alive)});  // no end
                       }),
                       stage::parallel([&](item value) {
                         throw_at(1, value.first);
                         dawdle(value.first);
                         return value;
                       }),
                       stage::serial_in_order([&](item value) {
                         throw_at(2, value.first);
                         return value;
                       }),
                       stage::serial_out_of_order([&](item value) { throw_at(3, value.first); }));
      };
      try {
        run();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::runtime_error& raised) {
        EXPECT_EQ(raised.what(), std::to_string(where));
      }
    });

    ASSERT_EQ(num_alive.load(), 0) << "values on their way are destroyed";
  }
}

TEST_P(Pipeline, is_canceled_by_a_token_the_group_around_it_and_its_stages) {
  for (const bool is_by_token : {true, false}) {
    weft::stop_source stop;
    std::atomic<int> num_alive{0};
    std::atomic<bool> has_asked{false};
    runtime.run([&] {
      weft::task_group group;
      group.run([&] {
        const weft::task_group_status ended = weft::pipeline(
            {.num_tokens = 4, .stop = stop.get_token()},
            stage::serial_in_order([&] { return std::optional(counted(num_alive)); }),  // no end
            stage::parallel([&, num_calls = std::make_shared<std::atomic<int>>(0)](counted value) {
              if (++*num_calls == 50) {
                is_by_token ? static_cast<void>(stop.request_stop()) : group.cancel();
                has_asked = weft::this_task::stop_requested();
              }
              return value;
            }),
            stage::serial_in_order([](counted) {}));
        EXPECT_EQ(ended, weft::task_group_status::canceled);
      });
      group.wait();
    });

    ASSERT_TRUE(has_asked.load());
    ASSERT_EQ(num_alive.load(), 0);
  }
}

TEST_P(Pipeline, stages_may_run_pipelines) {
  long sum = 0;
  runtime.run([&] {
    weft::pipeline({.num_tokens = 4},
                   stage::serial_in_order(numbers(20)),
                   stage::parallel([](int n) {
                     long inner = 0;
                     weft::pipeline({.num_tokens = 2},
                                    stage::serial_in_order(numbers(n)),
                                    stage::serial_in_order([&](int value) { inner += value; }));
                     return inner;
                   }),
                   stage::serial_in_order([&](long inner) { sum += inner; }));
  });

  EXPECT_EQ(sum, 1140);
}

INSTANTIATE_TEST_SUITE_P(Workers, Pipeline, testing::Values(1, 2, 4, 16));

}  // namespace pipeline_test
