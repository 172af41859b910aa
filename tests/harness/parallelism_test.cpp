// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that work on one thread, on two, and while idle workers spin.
#include "lab/harness/parallelism.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <time.h>

#include "lab/harness/experiment.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {
namespace {

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

TEST(Parallelism, a_backend_that_runs_on_one_thread_is_found_out) {
  called subject([] { burn(1e-3); });

  const parallelism found = probe_parallelism(subject, {}, 2);

  EXPECT_EQ(found.is_sequential, true);
  EXPECT_EQ(found.threads_active, 1);
}

TEST(Parallelism, one_thread_that_was_asked_for_is_not_accused) {
  called subject([] { burn(1e-3); });

  EXPECT_EQ(probe_parallelism(subject, {}, 1).is_sequential, false);
}

TEST(Parallelism, a_second_working_thread_is_seen) {
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
      burn(1e-3);
      done = seen;
      done.notify_one();
    }
  });
  called subject([&] {
    const int round = ++rounds;
    rounds.notify_one();
    burn(1e-3);
    for (int seen = done; seen != round; seen = done) {
      done.wait(seen);
    }
  });

  const parallelism found = probe_parallelism(subject, {}, 2);

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

  EXPECT_EQ(probe_parallelism(subject, {}, 2).is_sequential, false);
}

TEST(Parallelism, workers_that_never_sleep_make_it_unknown) {
  std::jthread spinner([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
    }
  });
  called subject([] { burn(1e-3); });

  const parallelism found = probe_parallelism(subject, {}, 2);

  EXPECT_EQ(found.is_sequential, std::nullopt);
  EXPECT_NE(found.reason.find("spinning"), std::string::npos);
}

}  // namespace
}  // namespace weft::lab
