// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime that is linked in gives the right answer to every problem, with each of its launch
// policies and with more workers than there are cores.
#include "lab/inncabs/backend.hpp"

#include <string>

#include <gtest/gtest.h>

#include "lab/inncabs/launch_policy.hpp"
#include "lab/inncabs/suite.hpp"
#include "tests/inncabs/verified_cells.hpp"

namespace weft::lab::inncabs {
namespace backend_test {

using testing::four_times_the_cores;
using testing::has_workers;
using testing::verify_all;

TEST(InncabsBackend, answers_rightly_with_one_thread) { verify_all({.threads = 1}); }

TEST(InncabsBackend, answers_rightly_with_several_threads) {
  if (!has_workers()) {
    GTEST_SKIP() << "takes no number of threads";
  }
  verify_all({.threads = 2});
}

TEST(InncabsBackend, answers_rightly_with_four_times_as_many_threads_as_cores) {
  if (!has_workers()) {
    GTEST_SKIP() << "takes no number of threads";
  }
  verify_all({.threads = four_times_the_cores()});
}

TEST(InncabsBackend, answers_rightly_with_every_launch_policy) {
  for (const launch_policy how : launch_policies) {
    if (!linked_backend().has_policy(how) || how == launch_policy::async) {
      continue;
    }
    if (how == launch_policy::optional) {
      // Left the choice, a runtime does what it does for another policy: one problem shows that it
      // may.
      EXPECT_EQ(verify_all({.threads = 2, .how = how, .only = "fib"}), 1U);
    } else {
      verify_all({.threads = 2, .how = how});
    }
  }
}

TEST(InncabsBackend, has_a_name_and_a_version) {
  EXPECT_FALSE(linked_backend().name.empty());
  EXPECT_FALSE(inncabs_suite(linked_backend()).libraries().empty());
}

}  // namespace backend_test
}  // namespace weft::lab::inncabs
