// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the counters that this process prints: one plan, from start to end, for all tests.
#include "counters/print/active.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

namespace active_test {

using weft::counters::detail::finish_active;
using weft::counters::detail::set_active_plan;
using weft::counters::detail::start_active;

std::string content_of(const std::string& file) {
  std::ifstream from(file);
  return {std::istreambuf_iterator<char>(from), {}};
}

/// Forks; returns how the child ended.
template <class InChild>
int status_of_fork(InChild in_child) {
  const int child = fork();
  if (child == 0) {
    in_child();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Active, from_start_to_end) {
  const std::string file = testing::TempDir() + "weft-active-" + std::to_string(getpid());
  double number = 0;
  const auto own = weft::counters::register_counter(
      {.name = "/test/number", .unit = "", .help = "A number."}, [&] { return number; });
  weft::counters::evaluate_active();  // nothing is active yet: nothing happens
  weft::counters::reset_active();

  set_active_plan({.counters = {{.name = "/test/numbre"}}, .destination = file});
  EXPECT_THROW(start_active(), weft::error);
  set_active_plan({.counters = {{.name = "/test/number"}}, .destination = file});
  start_active();
  number = 3;
  weft::counters::evaluate_active("one");
  weft::counters::reset_active();
  number = 5;
  EXPECT_EQ(status_of_fork([] {
              weft::counters::evaluate_active("in a fork");
              finish_active();
            }),
            0);
  start_active();  // only the first one counts
  finish_active();
  weft::counters::evaluate_active("late");

  EXPECT_THAT(content_of(file),
              testing::MatchesRegex("one\n/test[^\n]*/number,1,[^\n]*,3\n"
                                    "/test[^\n]*/number,2,[^\n]*,2\n"));
  std::filesystem::remove(file);
}

}  // namespace active_test
