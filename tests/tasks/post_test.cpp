// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// post: tasks that nobody waits for, and what escapes from them.
#include "weft/tasks/post.hpp"

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "weft/tasks/launch.hpp"

#include "tasks/futures_fixture.hpp"
#include "tests/support/comes_true.hpp"

namespace post_test {

using weft::test::comes_true;

class Post : public WithWorkers {};

TEST_P(Post, runs_what_is_posted) {
  std::atomic<int> sum{0};
  std::atomic<int> num_run{0};
  const auto add = [&](int n) {
    sum += n;
    ++num_run;
  };

  runtime.run([&] {
    for (int i = 1; i <= 100; ++i) {
      weft::post([&add](std::unique_ptr<int> n) { add(*n); }, std::make_unique<int>(i));
    }
    weft::async(weft::launch::post, [&add](int n) { add(n); }, 1000);
  });

  EXPECT_TRUE(comes_true([&] { return num_run.load() == 101; }));
  EXPECT_EQ(sum.load(), 6050);
}

std::atomic<int> num_escaped{0};
std::string last_text;

TEST_P(Post, an_escaped_exception_goes_to_the_handler) {
  num_escaped = 0;
  const auto former = weft::set_escaped_exception_handler([](std::exception_ptr escaped) noexcept {
    try {
      std::rethrow_exception(std::move(escaped));
    } catch (const std::exception& e) {
      last_text = e.what();
    }
    ++num_escaped;
  });

  runtime.run([] { weft::post([] { throw std::runtime_error("nobody waits"); }); });
  while (num_escaped.load() != 1) {
    std::this_thread::yield();
  }

  EXPECT_EQ(last_text, "nobody waits");
  weft::set_escaped_exception_handler(former);
}

WEFT_RUN_WITH_WORKERS(Post);

TEST(PostDeathTest, the_default_handler_ends_the_process_with_the_text) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");

  EXPECT_DEATH(
      {
        weft::runtime runtime(with_workers(1));
        runtime.run([] { weft::post([] { throw std::runtime_error("lost and found"); }); });
        std::this_thread::sleep_for(std::chrono::seconds(10));
      },
      "lost and found");
}

}  // namespace post_test
