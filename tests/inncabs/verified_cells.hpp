// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the tiny input of every problem by the runtime that is linked in, and checks the answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <variant>

#include <gtest/gtest.h>

#include "lab/harness/experiment.hpp"
#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/inncabs/suite.hpp"

namespace weft::lab::inncabs::testing {

inline int four_times_the_cores() {
  return 4 * static_cast<int>(std::thread::hardware_concurrency());
}

/// Whether the runtime has as many threads as it is told: `std::async` has one for each task.
inline bool has_workers() {
  return !linked_backend().is_serial && linked_backend().tasks_started == nullptr;
}

struct manner {
  int threads = 1;
  launch_policy how = launch_policy::async;
  std::string only = {};  // one problem; empty: every problem
};

/// A cell on its way into the runtime.
struct attempt {
  cell what;

  void verify() const {
    const inncabs_suite suite(linked_backend());
    auto answer = suite.make(what);
    if (const skip* cannot = std::get_if<skip>(&answer)) {
      ADD_FAILURE() << cannot->message;
      return;
    }
    EXPECT_EQ(std::get<std::unique_ptr<experiment>>(answer)->verify().mismatch, "");
  }
};

/// A failure for every problem whose answer is wrong, or that is not answered though the runtime
/// starts with so many threads.
/// Returns how many it answered: none if it does not start with so many.
inline std::size_t verify_all(const manner& chosen) {
  const inncabs_suite suite(linked_backend());
  std::size_t num_answered = 0;
  for (const std::string& problem : suite.problems()) {
    if (!chosen.only.empty() && chosen.only != problem) {
      continue;
    }
    attempt made;
    made.what.problem = problem;
    made.what.size = 1;
    made.what.threads = chosen.threads;
    made.what.params["launch"] = static_cast<std::int64_t>(chosen.how);
    SCOPED_TRACE(problem + " with " + std::to_string(chosen.threads) + " threads, launch " +
                 std::string(name_of(chosen.how)));
    try {
      suite.check(made.what);
      suite.with_threads(
          chosen.threads, [](void* context) { static_cast<attempt*>(context)->verify(); }, &made);
      ++num_answered;
    } catch (const cannot_run& refused) {
      EXPECT_FALSE(refused.reason().message.empty());
    }
  }
  return num_answered;
}

}  // namespace weft::lab::inncabs::testing
