// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks cells against the table of problems and passes them to the problem they name.
#include "lab/approaches/suite.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/approaches/problem.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/parameters.hpp"

namespace weft::lab::approaches {
namespace {

void refuse_unless(bool is_default, std::string_view field, std::string_view only) {
  if (!is_default) {
    throw bad_cell(std::string(field),
                   std::string(field) + ": the suite approaches knows " + std::string(field) +
                       " \"" + std::string(only) + "\" only; leave the field out");
  }
}

}  // namespace

std::map<std::string, std::string> approach_suite::libraries() const {
  return backend_.libraries();
}

std::vector<std::string> approach_suite::problems() const { return problem_names(); }

void approach_suite::check(const cell& what) const {
  const problem& of = problem_named(what.problem);
  refuse_unless(what.type == "double", "type", "double");
  refuse_unless(what.allocator == "default", "allocator", "default");
  if (!of.takes_size(what.size)) {
    throw bad_cell("size",
                   "size is " + std::to_string(what.size) + "; " + what.problem + " takes " +
                       std::string(of.sizes));
  }
  check_parameters(of.id, of.parameters, what.params);
}

std::size_t approach_suite::memory_bytes(const cell& what) const {
  return problem_named(what.problem).memory_bytes(what);
}

std::variant<std::unique_ptr<experiment>, skip> approach_suite::make(const cell& what) const {
  return make_experiment(what, backend_);
}

void approach_suite::with_threads(int threads, void (*body)(void* context), void* context) const {
  backend_.with_threads(threads, body, context);
}

}  // namespace weft::lab::approaches
