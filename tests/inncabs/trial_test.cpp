// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is said of a call that is tried in a process of its own, however that ends.
#include "lab/inncabs/trial.hpp"

#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>  // kill is POSIX's
#include <unistd.h>

namespace weft::lab::inncabs {
namespace trial_test {

using ::testing::StartsWith;

std::string end_of(void (*call)(void*), const trial_limits& limits = {}) {
  const trial_end end = try_in_child(call, nullptr, limits);
  return end.is_survived ? "survived" : end.how;
}

void wait_for_ever(void* /*context*/) {
  while (true) {
    pause();
  }
}

TEST(Trial, a_call_that_returns_is_survived) {
  EXPECT_EQ(end_of([](void*) {}), "survived");
}

TEST(Trial, says_what_was_thrown) {
  EXPECT_EQ(end_of([](void*) { throw std::runtime_error("no thread left"); }),
            "it threw: no thread left");
}

TEST(Trial, says_how_the_process_ended) {
  EXPECT_EQ(end_of([](void*) { std::_Exit(7); }), "it exited with status 7");
  EXPECT_EQ(end_of([](void*) { kill(getpid(), SIGTERM); }),
            "it was ended by signal 15 (Terminated)");
}

TEST(Trial, ends_what_lasts_too_long) {
  EXPECT_EQ(end_of(wait_for_ever, {.max_time_s = 0.05}), "it was ended after 0 s");
}

TEST(Trial, ends_what_starts_too_many_threads) {
  const auto start_threads = [](void* context) {
    for (int i = 0; i < 4; ++i) {
      pthread_t started{};
      pthread_create(
          &started,
          nullptr,
          [](void* nothing) -> void* {
            wait_for_ever(nothing);
            return nullptr;
          },
          nullptr);
    }
    wait_for_ever(context);
  };

  EXPECT_EQ(end_of(start_threads, {.max_threads = 4}),
            "it was ended when it had 5 threads, more than 4");
}

TEST(Trial, ends_what_takes_too_much_memory) {
  const auto fill_memory = [](void* context) {
    constexpr std::size_t size_bytes = std::size_t{256} << 20U;
    const std::vector<char> filled(size_bytes, 'x');
    wait_for_ever(context);
  };

  EXPECT_THAT(end_of(fill_memory, {.max_bytes = std::size_t{128} << 20U}),
              StartsWith("it was ended when it held "));
}

}  // namespace trial_test
}  // namespace weft::lab::inncabs
