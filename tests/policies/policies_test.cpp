// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Policies that run periodically: their calls, their readings, their ends.
#include "weft/policies.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"
#include "weft/counters/trace.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/support/child_status.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/tasks/with_workers.hpp"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEFT_THREAD_SANITIZER
#endif
#endif

namespace policies_test {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::counters::counter_kind;
using weft::counters::register_counter;
using weft::counters::registration;
using weft::policies::every;
using weft::policies::policy;
using weft::policies::readings;
using weft::policies::when;
using weft::test::comes_true;

/// A program's own counters, which a test sets.
class own_counters {
 public:
  std::atomic<std::int64_t> steps{0};
  std::atomic<std::int64_t> level{0};

 private:
  registration steps_ =
      register_counter({.name = "/policies-test/steps", .unit = "J", .help = "Steps."}, &steps);
  registration level_ = register_counter({.name = "/policies-test/level",
                                          .unit = "%",
                                          .help = "A level.",
                                          .kind = counter_kind::gauge},
                                         &level);
};

TEST(Policy, a_policy_is_called_until_it_ends) {
  std::atomic<int> num_calls{0};
  policy counting = every(1ms, {}, [&](const readings&) { ++num_calls; });
  EXPECT_TRUE(counting.is_running());
  EXPECT_TRUE(comes_true([&] { return num_calls >= 3; }));

  counting.end();

  const int num_at_end = num_calls;
  EXPECT_FALSE(counting.is_running());
  EXPECT_EQ(counting.failure(), nullptr);
  std::atomic<int> num_others{0};
  const policy other = every(1ms, {}, [&](const readings&) { ++num_others; });
  EXPECT_TRUE(comes_true([&] { return num_others >= 3; }));
  EXPECT_EQ(num_calls, num_at_end);
}

TEST(Policy, its_end_waits_for_a_call_that_is_under_way) {
  const policy keeps_the_thread = every(1h, {}, [](const readings&) {});
  std::atomic<bool> is_called{false};
  std::atomic<bool> is_ending{false};
  std::atomic<bool> has_returned{false};
  policy slow = every(1ms, {}, [&](const readings&) {
    is_called = true;
    EXPECT_TRUE(comes_true([&] { return is_ending.load(); }));
    for (int i = 0; i < 1000; ++i) {
      std::this_thread::yield();
    }
    has_returned = true;
  });
  ASSERT_TRUE(comes_true([&] { return is_called.load(); }));

  is_ending = true;
  slow.end();

  EXPECT_TRUE(has_returned);
}

TEST(Policy, all_share_one_thread_which_is_no_worker) {
  std::mutex mutex;
  std::vector<std::thread::id> seen;
  std::atomic<int> num_calls{0};
  const auto note = [&](const readings&) {
    const std::lock_guard guard(mutex);
    seen.push_back(std::this_thread::get_id());
    ++num_calls;
  };
  {
    const policy one = every(1ms, {}, note);
    const policy two = every(1ms, {}, note);
    EXPECT_TRUE(comes_true([&] { return num_calls >= 6; }));
  }
  EXPECT_THAT(seen, testing::Each(seen.front()));
  EXPECT_NE(seen.front(), std::this_thread::get_id());
}

TEST(Policy, a_reading_has_value_change_unit_and_reason) {
  own_counters mine;
  mine.steps = 100;
  mine.level = 7;
  std::atomic<int> num_calls{0};
  readings first;
  readings second;
  const policy reading = every(1ms,
                               {"/policies-test/steps", "/policies-test/level", "/runtime/uptime"},
                               [&](const readings& now) {
                                 if (num_calls < 2) {
                                   (num_calls == 0 ? first : second) = now;
                                   mine.steps += 5;
                                   ++num_calls;
                                 }
                               });
  ASSERT_TRUE(comes_true([&] { return num_calls == 2; }));

  EXPECT_EQ(first.number, 1U);
  EXPECT_EQ(first.of("/policies-test/steps").change, 0.0);
  EXPECT_EQ(first.of("/policies-test/steps").value, 0.0);
  EXPECT_EQ(second.of("/policies-test/steps").change, 5.0);
  EXPECT_EQ(second.of("/policies-test/steps").value, 5.0);
  EXPECT_EQ(second.of("/policies-test/level").value, 7.0);
  EXPECT_EQ(second.of("/policies-test/level").unit, "%");
  EXPECT_EQ(second.of("/policies-test/level").change, std::nullopt);
  EXPECT_GT(second.since_last, 0ns);
  EXPECT_GT(second.rate_per_s("/policies-test/steps").value(), 0);
  EXPECT_TRUE(second.is_above("/policies-test/level", 6));
  EXPECT_TRUE(second.is_below("/policies-test/level", 8));
  EXPECT_THAT([&] { static_cast<void>(second.of("/policies-test/stepz")); },
              ThrowsMessage<weft::error>(HasSubstr("did you mean /policies-test")));
}

TEST(Policy, an_unknown_value_is_neither_above_nor_below) {
  const registration broken = register_counter(
      {.name = "/policies-test/broken", .unit = "", .help = "Throws.", .kind = counter_kind::gauge},
      []() -> std::int64_t { throw weft::error("no sensor"); });
  std::atomic<bool> is_called{false};
  readings seen;
  const policy reading = every(1ms, {"/policies-test/broken"}, [&](const readings& now) {
    if (!is_called) {
      seen = now;
      is_called = true;
    }
  });
  ASSERT_TRUE(comes_true([&] { return is_called.load(); }));
  EXPECT_EQ(seen.of("/policies-test/broken").value, std::nullopt);
  EXPECT_THAT(seen.of("/policies-test/broken").reason, HasSubstr("no sensor"));
  EXPECT_FALSE(seen.is_above("/policies-test/broken", -1e9));
  EXPECT_FALSE(seen.is_below("/policies-test/broken", 1e9));
}

TEST(Policy, a_counter_that_does_not_exist_is_an_error_that_names_it) {
  EXPECT_THAT([] { static_cast<void>(every(1s, {"/runtime/uptimes"}, [](const readings&) {})); },
              ThrowsMessage<weft::error>(HasSubstr("/runtime/uptime")));
  EXPECT_THROW(static_cast<void>(every(0s, {}, [](const readings&) {})), weft::error);
  EXPECT_THROW(
      static_cast<void>(when(
          {.num_periods = 0}, [](const readings&) { return true; }, [](const readings&) {})),
      weft::error);
}

std::mutex message_mutex;
std::string messages;

TEST(Policy, an_exception_ends_only_its_policy_and_is_told_once) {
  const auto before = weft::set_message_sink([](std::string_view text) noexcept {
    const std::lock_guard guard(message_mutex);
    messages += text;
  });
  std::atomic<int> num_calls{0};
  const auto held = std::make_shared<int>(1);
  const policy throwing =
      every(1ms, {}, [held](const readings&) { throw std::runtime_error("a mistake"); });
  const policy other = every(1ms, {}, [&](const readings&) { ++num_calls; });

  EXPECT_TRUE(comes_true([&] { return throwing.failure() != nullptr; }));
  EXPECT_TRUE(comes_true([&] { return held.use_count() == 1; })) << "the function is destroyed";
  const int num_then = num_calls;
  EXPECT_TRUE(comes_true([&] { return num_calls >= num_then + 3; }));

  EXPECT_FALSE(throwing.is_running());
  EXPECT_THROW(std::rethrow_exception(throwing.failure()), std::runtime_error);
  weft::set_message_sink(before);
  EXPECT_EQ(messages, "weft: policy every has ended, because its function threw: a mistake\n");
}

TEST(Policy, it_may_end_itself_and_others) {
  std::atomic<bool> is_done{false};
  policy self;
  policy other = every(1h, {}, [](const readings&) {});
  std::mutex mutex;
  {
    const std::lock_guard guard(mutex);
    self = every(1ms, {}, [&](const readings&) {
      const std::lock_guard wait_for_assignment(mutex);
      self.end();
      other.end();
      is_done = true;
    });
  }
  EXPECT_TRUE(comes_true([&] { return is_done.load(); }));
  const std::lock_guard guard(mutex);
  EXPECT_FALSE(self.is_running());
  EXPECT_FALSE(other.is_running());
}

TEST(Policy, its_owner_waits_also_for_a_call_that_ended_it) {
  std::atomic<bool> has_ended_itself{false};
  std::atomic<bool> has_returned{false};
  std::mutex mutex;
  auto held = std::make_shared<int>(1);
  {
    policy self;
    {
      const std::lock_guard guard(mutex);
      self = every(1ms, {}, [&, held](const readings&) {
        {
          const std::lock_guard wait_for_assignment(mutex);
          self.end();
        }
        has_ended_itself = true;
        std::this_thread::sleep_for(20ms);
        has_returned = true;
      });
    }
    EXPECT_TRUE(comes_true([&] { return has_ended_itself.load(); }));
  }
  EXPECT_TRUE(has_returned) << "the function may use what the owner destroys next";
  EXPECT_TRUE(comes_true([&] { return held.use_count() == 1; })) << "the function is destroyed";
}

TEST(Policy, many_threads_start_and_end_policies) {
  std::atomic<int> num_calls{0};
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) {
        const policy brief = every(10us, {}, [&](const readings&) { ++num_calls; });
        std::this_thread::yield();
      }
    });
  }
  threads.clear();

  const int num_at_end = num_calls;
  std::atomic<bool> is_called{false};
  const policy last = every(10us, {}, [&](const readings&) { is_called = true; });
  EXPECT_TRUE(comes_true([&] { return is_called.load(); }));
  EXPECT_EQ(num_calls, num_at_end);
}

TEST(Policy, a_condition_must_hold_for_some_periods) {
  own_counters mine;
  std::atomic<int> num_calls{0};
  std::atomic<int> num_evaluations{0};
  const policy watching = when(
      {.counters = {"/policies-test/level"}, .period = 1ms},
      [&](const readings& now) {
        ++num_evaluations;
        return now.is_above("/policies-test/level", 50);
      },
      [&](const readings&) { ++num_calls; });
  const auto passes = [&](int num_periods) {
    const int before = num_evaluations;
    return comes_true([&, before] { return num_evaluations >= before + num_periods; });
  };
  EXPECT_TRUE(passes(4));
  EXPECT_EQ(num_calls, 0);
  mine.level = 60;
  EXPECT_TRUE(comes_true([&] { return num_calls == 1; }));
  EXPECT_TRUE(passes(6));
  EXPECT_EQ(num_calls, 1);
  mine.level = 0;
  EXPECT_TRUE(passes(2));
  mine.level = 60;
  EXPECT_TRUE(comes_true([&] { return num_calls == 2; }));
}

/// Returns what `f` returns in a fork of this process.
template <class F>
int status_of_fork(F f) {
  const auto child = fork();
  if (child == 0) {
    _exit(f());
  }
  return weft::test::child_status(child);
}

TEST(Policy, a_fork_has_no_policies) {
#if defined(WEFT_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer allows no threads in forks";
#endif
  const policy in_parent = every(1ms, {}, [](const readings&) {});
  EXPECT_EQ(status_of_fork([&] {
              const bool was_running = in_parent.is_running();
              std::atomic<int> num_calls{0};
              const policy own = every(1ms, {}, [&](const readings&) { ++num_calls; });
              return !was_running && comes_true([&] { return num_calls > 0; }) ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(in_parent.is_running());
}

TEST(Decision, a_decision_is_counted_and_traced) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("weft_policies_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  weft::counters::session session{"/policies/count/decisions"};
  weft::counters::start_trace({.destination = folder / "trace.json"});
  weft::runtime runtime(weft::test::with_workers(1));
  runtime.run([] {});

  weft::policies::note_decision("chosen", 2, 1);
  weft::policies::note_decision("chosen", 1, 2);

  EXPECT_EQ(session.evaluate().number_of("/policies/count/decisions"), 2);
  static_cast<void>(weft::counters::write_trace(folder / "now.json"));
  std::ifstream file(folder / "now.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(text, HasSubstr("chosen: 2 -> 1"));
  EXPECT_THAT(text, HasSubstr("chosen: 1 -> 2"));
  EXPECT_THAT(text, HasSubstr("decisions of policies"));
  EXPECT_THAT(text, testing::Not(HasSubstr("pool ")));
}

// Run with three values of the variable: policies.policies, policies.off, policies.nonsense.
TEST(Switch, the_variable_is_heeded) {
  EXPECT_EQ(weft::policies::are_on(), weft::base::process_environment("WEFT_POLICIES") != "off");
}

TEST(Switch, policies_that_are_off_do_nothing) {
#if defined(WEFT_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer allows no threads in forks";
#endif
  EXPECT_EQ(status_of_fork([] {
              std::string program = "program";
              std::string off = "--weft:policies=off";
              char* arguments[] = {program.data(), off.data(), nullptr};
              int count = 2;
              static_cast<void>(weft::try_init(count, arguments));
              const policy idle = every(1ms, {}, [](const readings&) { _exit(2); });
              weft::policies::tuner<int> tuned("off", {1, 2}, 1);
              tuned.note(1);
              weft::runtime runtime(weft::test::with_workers(2));
              const policy throttle = weft::policies::throttle_idle(runtime, {.period = 1ms});
              std::this_thread::sleep_for(20ms);
              const bool is_right = !weft::policies::are_on() && !idle.is_running() &&
                                    tuned.report().outcome == weft::policies::verdict::kept &&
                                    tuned.value() == 1 && runtime.num_workers() == 2;
              return is_right ? 0 : 1;
            }),
            0);
}

}  // namespace policies_test
