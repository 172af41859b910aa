// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend this test is linked with answers every problem it offers rightly, whatever the
// threads.
#include "lab/stl/backend.hpp"

#include <cstddef>
#include <string>
#include <thread>
#include <tuple>

#include <gtest/gtest.h>

#include "lab/harness/experiment.hpp"
#include "lab/stl/suite.hpp"
#include "stl/support/reference_backend.hpp"

namespace weft::lab::stl {
namespace {

struct request {
  cell what;
  std::string mismatch;
};

void answer(void* context) {
  auto& asked = *static_cast<request*>(context);
  asked.mismatch = testing::mismatch_of(linked_backend(), asked.what);
}

/// Returns false where the library refuses to be oversubscribed; any other refusal is a failure.
bool is_run(int threads, request& asked) {
  try {
    linked_backend().with_threads(threads, answer, &asked);
    return true;
  } catch (const cannot_run& refusal) {
    EXPECT_GT(threads, static_cast<int>(std::thread::hardware_concurrency())) << refusal.what();
    return false;
  }
}

class every_answer : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(every_answer, is_right_or_says_that_it_has_none) {
  const auto& [problem, type] = GetParam();
  for (const std::string allocator : {"default", "first_touch"}) {
    for (const std::size_t size : {1U, 2U, 3U, 1000U, 20011U, 100003U}) {
      for (const int threads : {1, 2, 3}) {
        request asked{.what = testing::cell_of(problem, type, size), .mismatch = {}};
        asked.what.allocator = allocator;
        if (!is_run(threads, asked)) {
          continue;
        }
        if (asked.mismatch == "skipped: not_offered") {
          GTEST_SKIP() << linked_backend().name << " has no " << problem;
        }
        EXPECT_EQ(asked.mismatch, "")
            << size << " elements, " << threads << " threads, " << allocator << " allocator";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    AllProblems,
    every_answer,
    ::testing::Combine(::testing::ValuesIn(stl_suite(linked_backend()).problems()),
                       ::testing::Values("int", "float", "double")),
    [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

TEST(LinkedBackend, names_itself_and_the_libraries_it_runs_on) {
  EXPECT_FALSE(linked_backend().name.empty());
  const auto libraries = linked_backend().libraries();
  EXPECT_FALSE(libraries.empty());
  for (const auto& [library, version] : libraries) {
    EXPECT_NE(version, "") << library;
  }
}

}  // namespace
}  // namespace weft::lab::stl
