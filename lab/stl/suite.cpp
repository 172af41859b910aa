// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks cells against the table of problems and passes them to the problem they name.
#include "lab/stl/suite.hpp"

#include <algorithm>
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
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace {

// Elements count up to the size, which must fit into int; the random sequences need 32 bits.
constexpr std::size_t max_size = (std::size_t{1} << 31U) - 1;

template <class Row>
std::vector<std::string> names_of(const Row& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const auto& row : rows) {
    names.emplace_back(row.name);
  }
  return names;
}

const problem& problem_named(const std::string& name) {
  const auto& rows = problems();
  const auto found = std::ranges::find(rows, std::string_view(name), &problem::name);
  if (found == rows.end()) {
    throw bad_cell("problem", unknown_name("problem", name, names_of(rows)));
  }
  return *found;
}

}  // namespace

std::map<std::string, std::string> stl_suite::libraries() const { return backend_.libraries(); }

std::vector<std::string> stl_suite::problems() const { return names_of(stl::problems()); }

void stl_suite::check(const cell& what) const {
  const problem& of = problem_named(what.problem);
  with_element_type(what.type, [](auto) {});
  if (what.size < 1 || what.size > max_size) {
    throw bad_cell("size",
                   "size is " + std::to_string(what.size) + " elements; it must be from 1 to " +
                       std::to_string(max_size));
  }
  if (what.allocator != "default" && what.allocator != "first_touch") {
    throw bad_cell(
        "allocator",
        unknown_name(
            "allocator", what.allocator, std::vector<std::string>{"default", "first_touch"}));
  }
  check_parameters(of.name, of.parameters, what.params);
}

std::size_t stl_suite::memory_bytes(const cell& what) const {
  return problem_named(what.problem).memory_bytes(what, backend_);
}

std::variant<std::unique_ptr<experiment>, skip> stl_suite::make(const cell& what) const {
  return problem_named(what.problem).make(what, backend_);
}

void stl_suite::with_threads(int threads, void (*body)(void* context), void* context) const {
  backend_.with_threads(threads, body, context);
}

}  // namespace weft::lab::stl
