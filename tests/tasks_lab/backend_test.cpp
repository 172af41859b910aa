// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runtime that is linked in gives the right answer to every problem it offers.
#include "lab/tasks/backend.hpp"

#include <memory>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "lab/harness/experiment.hpp"
#include "lab/tasks/suite.hpp"
#include "lab/tasks/uts_tree.hpp"
#include "tasks_lab/support/inline_runtime.hpp"

namespace weft::lab::tasks {
namespace backend_test {

/// A cell on its way into the runtime, and how many it answered.
struct attempt {
  cell what;
  int num_verified = 0;
};

void verify(void* context) {
  attempt& made = *static_cast<attempt*>(context);
  const task_suite suite(linked_backend());
  auto answer = suite.make(made.what);
  if (const skip* cannot = std::get_if<skip>(&answer)) {
    EXPECT_TRUE(cannot->code == "not_offered" || cannot->code == "unsupported") << cannot->code;
    return;
  }
  if (made.what.problem == "uts") {
    for (const uts_tree& shape : testing::small_uts_trees()) {
      EXPECT_EQ(linked_backend().offered.uts(shape), shape.published) << shape.name;
    }
  } else {
    EXPECT_EQ(std::get<std::unique_ptr<experiment>>(answer)->verify().mismatch, "");
  }
  ++made.num_verified;
}

int num_verified_with(int threads) {
  int num_verified = 0;
  for (const cell& what : testing::small_cells(threads)) {
    SCOPED_TRACE(what.problem + " with " + std::to_string(threads) + " threads");
    attempt made{.what = what};
    try {
      task_suite(linked_backend()).with_threads(threads, verify, &made);
    } catch (const cannot_run& refused) {
      EXPECT_FALSE(refused.reason().message.empty());
    }
    num_verified += made.num_verified;
  }
  return num_verified;
}

TEST(TaskBackend, answers_rightly_with_one_thread) { EXPECT_GE(num_verified_with(1), 8); }

TEST(TaskBackend, answers_rightly_with_several_threads) {
  const int threads = linked_backend().is_serial ? 1 : 2;
  EXPECT_GE(num_verified_with(threads), 8);
}

TEST(TaskBackend, has_a_name_and_a_version) {
  EXPECT_FALSE(linked_backend().name.empty());
  EXPECT_FALSE(task_suite(linked_backend()).libraries().empty());
}

}  // namespace backend_test
}  // namespace weft::lab::tasks
