// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that work on one thread, on two, and while idle workers spin.
#include "lab/harness/parallelism.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include "lab/harness/experiment.hpp"

namespace weft::lab {
namespace parallelism_test {

/// Uses a given amount of this thread's CPU time, however busy the machine is.
void burn(double cpu_s) {
  const auto used_s = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double end_s = used_s() + cpu_s;
  while (used_s() < end_s) {
  }
}

class called final : public experiment {
 public:
  explicit called(std::function<void()> call) : call_(std::move(call)) {}
  verdict verify() override { return {}; }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call_();
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return 1000; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }

 private:
  std::function<void()> call_;
};

/// Probes until a second thread is seen at work: on a busy machine it may be unknown many times.
parallelism probe_patiently(experiment& subject) {
  constexpr int num_attempts = 100;
  parallelism found;
  for (int i = 0; i < num_attempts && found.is_sequential != false; ++i) {
    found = probe_parallelism(subject, {.call_s = 2e-3}, 2);
    EXPECT_NE(found.is_sequential, true);
  }
  return found;
}

TEST(Parallelism, a_backend_that_runs_on_one_thread_is_found_out) {
  called subject([] { burn(1e-3); });

  const parallelism found = probe_parallelism(subject, {.call_s = 1e-3}, 2);

  EXPECT_EQ(found.is_sequential, true) << found.reason;
  EXPECT_EQ(found.threads_active, 1);
}

/// A worker that sleeps until it is told to work or spin for a while.
class worker {
 public:
  explicit worker(double busy_s) : busy_s_(busy_s) {}
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker() {
    is_over_ = true;
    start();
  }

  void start() {
    ++rounds_;
    rounds_.notify_one();
  }

 private:
  void work() {
    for (int seen = 0;;) {
      rounds_.wait(seen);
      if (is_over_) {
        return;
      }
      seen = rounds_;
      burn(busy_s_);
    }
  }

  double busy_s_;
  std::atomic<int> rounds_{0};
  std::atomic<bool> is_over_{false};
  std::jthread thread_{[this] { work(); }};
};

TEST(Parallelism, a_worker_that_is_woken_at_the_end_and_spins_is_no_help) {
  worker spinner(2e-3);
  called subject([&] {
    burn(6e-3);
    spinner.start();
  });

  EXPECT_NE(probe_parallelism(subject, {.call_s = 6e-3}, 2).is_sequential, false);
}

TEST(Parallelism, a_worker_that_gets_no_cpu_is_not_accused) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  parallelism found;
  {
    worker starved(1e-3);  // shares the caller's only CPU
    called subject([&] {
      starved.start();
      burn(1e-3);
    });
    found = probe_parallelism(subject, {.call_s = 1e-3}, 2);
  }
  sched_setaffinity(0, sizeof before, &before);

  EXPECT_NE(found.is_sequential, true);
}

TEST(Parallelism, one_thread_that_was_asked_for_is_not_accused) {
  called subject([] { burn(1e-3); });

  EXPECT_EQ(probe_parallelism(subject, {.call_s = 1e-3}, 1).is_sequential, false);
}

TEST(Parallelism, a_second_working_thread_is_seen) {
  if (std::thread::hardware_concurrency() < 2) {
    GTEST_SKIP() << "two threads need two CPUs to work at a time";
  }
  std::atomic<int> rounds{0};
  std::atomic<int> done{0};
  std::atomic<bool> is_over{false};
  std::jthread worker([&] {
    for (int seen = 0;;) {
      rounds.wait(seen);
      if (is_over) {
        return;
      }
      seen = rounds;
      burn(2e-3);
      done = seen;
      done.notify_one();
    }
  });
  called subject([&] {
    const int round = ++rounds;
    rounds.notify_one();
    burn(2e-3);
    for (int seen = done; seen != round; seen = done) {
      done.wait(seen);
    }
  });

  const parallelism found = probe_patiently(subject);

  is_over = true;
  ++rounds;
  rounds.notify_one();
  EXPECT_EQ(found.is_sequential, false);
  EXPECT_EQ(found.threads_active, 2);
}

TEST(Parallelism, threads_that_end_within_the_call_count_too) {
  called subject([] {
    std::jthread helper([] { burn(2e-3); });
    burn(2e-3);
  });

  // Linux may list a thread for a moment after its join, and it then counts beside those before it.
  constexpr int num_attempts = 100;
  parallelism found;
  for (int i = 0; i < num_attempts && found.threads_active != 2; ++i) {
    found = probe_parallelism(subject, {.call_s = 2e-3}, 2);
    EXPECT_NE(found.is_sequential, true);
  }

  EXPECT_EQ(found.threads_active, 2);
}

TEST(Parallelism, workers_that_never_sleep_make_it_unknown) {
  std::jthread spinner([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
  });
  called subject([] { burn(1e-3); });

  const parallelism found = probe_parallelism(subject, {.call_s = 1e-3}, 2);

  EXPECT_EQ(found.is_sequential, std::nullopt);
  EXPECT_NE(found.reason.find("spinning"), std::string::npos);
}

}  // namespace parallelism_test
}  // namespace weft::lab
