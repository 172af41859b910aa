// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of futures share: a runtime of some workers, and the code of an error.
#pragma once

#include <stdexcept>

#include <gtest/gtest.h>

#include "weft/tasks/future_error.hpp"
#include "weft/tasks/runtime.hpp"

#include "tests/tasks/with_workers.hpp"

using weft::test::with_workers;

/// A test that runs with one worker and with many.
class WithWorkers : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{with_workers(GetParam())};
};

/// The code of the future_error that `f()` throws.
template <class F>
weft::future_errc code_of(F&& f) {
  try {
    f();
  } catch (const weft::future_error& e) {
    return e.code();
  }
  throw std::logic_error("no future_error was thrown");
}

#define WEFT_RUN_WITH_WORKERS(suite) \
  INSTANTIATE_TEST_SUITE_P(Workers, suite, testing::Values(1, 2, 4, 16))
