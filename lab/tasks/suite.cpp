// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks cells against the table of problems and passes them to the problem they name.
#include "lab/tasks/suite.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace {

const problem& problem_named(std::string_view name) {
  for (const problem* row : problems()) {
    if (row->name() == name) {
      return *row;
    }
  }
  throw bad_cell("problem", unknown_name("problem", name, problem_names()));
}

void check_size(const problem& of, std::size_t size) {
  if (!of.takes_size(size)) {
    throw bad_cell("size",
                   "size is " + std::to_string(size) + "; " + std::string(of.name()) + " takes " +
                       std::string(of.sizes()));
  }
}

void refuse_unless(bool is_default, std::string_view field, std::string_view only) {
  if (!is_default) {
    throw bad_cell(std::string(field),
                   "the suite tasks knows " + std::string(field) + " \"" + std::string(only) +
                       "\" only; leave the field out");
  }
}

}  // namespace

std::map<std::string, std::string> task_suite::libraries() const { return backend_.libraries(); }

std::vector<std::string> task_suite::problems() const { return problem_names(); }

void task_suite::check(const cell& what) const {
  const problem& of = problem_named(what.problem);
  refuse_unless(what.type == "double", "type", "double");
  refuse_unless(what.allocator == "default", "allocator", "default");
  check_size(of, what.size);
  check_parameters(of.name(), of.parameters(), what.params);
}

std::size_t task_suite::memory_bytes(const cell& what) const {
  return problem_named(what.problem).memory_bytes(what);
}

std::variant<std::unique_ptr<experiment>, skip> task_suite::make(const cell& what) const {
  return problem_named(what.problem).make(what, backend_);
}

void task_suite::with_threads(int threads, void (*body)(void* context), void* context) const {
  backend_.with_threads(threads, body, context);
}

}  // namespace weft::lab::tasks
