// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of futures share: a runtime of some workers.
#pragma once

#include <gtest/gtest.h>

#include "weft/tasks/runtime.hpp"

inline weft::runtime_options with_workers(int count) {
  weft::runtime_options options;
  options.workers = count;
  return options;
}

/// A test that runs with one worker and with many.
class WithWorkers : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{with_workers(GetParam())};
};

#define WEFT_RUN_WITH_WORKERS(suite) \
  INSTANTIATE_TEST_SUITE_P(Workers, suite, testing::Values(1, 2, 4, 16))
