// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about how HPX programs begin and end.
#include <array>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <hpx/init.hpp>
#include <hpx/runtime.hpp>

namespace hpx_init_test {

TEST(HpxInit, a_program_has_ended_whatever_was_thrown) {
  std::string name("program");
  std::array<char*, 2> argv{name.data(), nullptr};
  bool was_shut_down = false;
  hpx::init_params params;
  params.shutdown = [&] {
    was_shut_down = true;
    throw std::runtime_error("shutdown");
  };

  EXPECT_EQ(hpx::init([]() -> int { throw 42; }, 1, argv.data(), params), -1);
  EXPECT_TRUE(was_shut_down);
  EXPECT_FALSE(hpx::is_running());
  EXPECT_EQ(hpx::init([] { return 5; }, 1, argv.data(), params), -1);
  EXPECT_EQ(hpx::init([] { return 5; }, 1, argv.data()), 5);
}

TEST(HpxInit, one_program_runs_at_a_time) {
  std::string name("program");
  std::array<char*, 2> argv{name.data(), nullptr};

  EXPECT_TRUE(hpx::start([] { return hpx::is_running() ? 7 : 8; }, 1, argv.data()));
  EXPECT_TRUE(hpx::is_running());
  EXPECT_FALSE(hpx::start([] { return 1; }, 1, argv.data()));
  EXPECT_EQ(hpx::stop(), 7);
  EXPECT_FALSE(hpx::is_running());
  EXPECT_EQ(hpx::stop(), -1);
}

}  // namespace hpx_init_test
