// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cell of every problem that is small enough for tests, and what a checker says of it.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "lab/approaches/backend.hpp"
#include "lab/approaches/suite.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::lab::approaches::testing {

inline cell small_cell(const std::string& problem, int threads = 2) {
  cell made;
  made.problem = problem;
  made.size = problem.starts_with("taylor") ? 1000 : 50;
  made.threads = threads;
  return made;
}

/// What the checker says of the answer, or the code of the skip.
inline std::string mismatch_of(const cell& what, const backend& with) {
  const approach_suite suite(with);
  suite.check(what);
  auto made = suite.make(what);
  if (const skip* cannot = std::get_if<skip>(&made)) {
    return cannot->code;
  }
  return std::get<std::unique_ptr<experiment>>(made)->verify().mismatch;
}

}  // namespace weft::lab::approaches::testing
