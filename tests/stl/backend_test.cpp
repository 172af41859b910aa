// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The backend this test is linked with answers every problem it offers rightly, whatever the
// threads.
#include "lab/stl/backend.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "lab/harness/experiment.hpp"
#include "lab/stl/suite.hpp"
#include "stl/support/reference_backend.hpp"

namespace weft::lab::stl {
namespace backend_test {

/// Questions to one pool of threads, and the first wrong answer with what it answers.
struct request {
  std::vector<cell> questions;
  std::string mismatch;
};

void answer_all(void* context) {
  auto& asked = *static_cast<request*>(context);
  for (const cell& what : asked.questions) {
    const std::string mismatch = testing::mismatch_of(linked_backend(), what);
    if (!mismatch.empty()) {
      asked.mismatch =
          std::to_string(what.size) + " elements, " + what.allocator + " allocator: " + mismatch;
      return;
    }
  }
}

/// Any refusal but that of a library which cannot be oversubscribed is a failure.
void run(int threads, request& asked) {
  try {
    linked_backend().with_threads(threads, answer_all, &asked);
  } catch (const cannot_run& refusal) {
    EXPECT_GT(threads, static_cast<int>(std::thread::hardware_concurrency())) << refusal.what();
  }
}

/// An answer of a library that is not what the standard says.
struct known_mistake {
  std::string_view backends;  // those whose names hold this
  std::string_view problem;
  std::string_view what;
};

constexpr std::array known_mistakes = std::to_array<known_mistake>(
    {{"gnu", "max_element", "of equal elements any may be returned"},
     {"gnu", "min_element", "of equal elements any may be returned"},
     {"gnu", "set_difference", "its threads may share a run of equal elements"},
     {"gnu", "set_intersection", "its threads may share a run of equal elements"},
     {"gnu", "set_symmetric_difference", "its threads may share a run of equal elements"},
     {"gnu", "set_union", "its threads may share a run of equal elements"},
     {"libstdcxx_tbb", "find_first_of", "the first match of another element may be returned"},
     {"libstdcxx_tbb", "is_sorted", "a search that found something may be forgotten"},
     {"onedpl", "find_first_of", "the first match of another element may be returned"},
     {"thrust_omp", "minmax_element", "of equal largest elements it returns the first"}});

const known_mistake* mistake_of(const std::string& problem) {
  const auto* const found = std::ranges::find_if(known_mistakes, [&](const known_mistake& each) {
    return each.problem == problem &&
           linked_backend().name.find(each.backends) != std::string_view::npos;
  });
  return found == known_mistakes.end() ? nullptr : found;
}

constexpr int max_threads = 3;

class every_answer : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  static bool is_offered() {
    const auto& [problem, type] = GetParam();
    auto made = stl_suite(linked_backend()).make(testing::cell_of(problem, type, 1));
    return !std::holds_alternative<skip>(made);
  }

  /// 25013 elements are beyond the cut-offs of the peers, the last of which is at 8000 a thread.
  /// weft also cuts from 2^15 elements and from 256 KiB on.
  static std::vector<cell> questions(int threads) {
    const auto& [problem, type] = GetParam();
    std::vector<cell> all;
    for (const std::size_t size : {1U, 2U, 3U, 1000U, 25013U}) {
      all.push_back(testing::cell_of(problem, type, size));
    }
    if (threads == max_threads && linked_backend().name == "weft") {
      all.push_back(testing::cell_of(problem, type, 70003));
    }
    all.push_back(testing::cell_of(problem, type, 1000));
    all.back().allocator = "first_touch";
    return all;
  }
};

TEST_P(every_answer, is_right_or_says_that_it_has_none) {
  const auto& problem = std::get<0>(GetParam());
  if (!is_offered()) {
    GTEST_SKIP() << linked_backend().name << " has no " << problem;
  }
  if (const auto* mistake = mistake_of(problem)) {
    GTEST_SKIP() << linked_backend().name << " " << problem << ": " << mistake->what;
  }
  for (int threads = 1; threads <= max_threads; ++threads) {
    request asked{.questions = questions(threads), .mismatch = {}};

    run(threads, asked);

    EXPECT_EQ(asked.mismatch, "") << threads << " threads";
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

}  // namespace backend_test
}  // namespace weft::lab::stl
