// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of problems, each with its types hidden.
#include "lab/inncabs/problem.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/names.hpp"
#include "lab/inncabs/row.hpp"
#include "lab/inncabs/table.hpp"
#include "lab/inncabs/typed_problem.hpp"

namespace weft::lab::inncabs {
namespace {

using problem_list = std::vector<std::unique_ptr<const problem>>;

template <class Input>
void add(problem_list& to, const row<Input>& what) {
  to.push_back(std::make_unique<const typed_problem<Input>>(what));
}

problem_list problems_of_table() {
  problem_list all;
  std::apply([&](const auto&... rows) { (add(all, rows), ...); }, table);
  return all;
}

}  // namespace

std::span<const std::unique_ptr<const problem>> problems() {
  static const problem_list all = problems_of_table();
  return all;
}

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const auto& each : problems()) {
    names.emplace_back(each->name());
  }
  return names;
}

std::size_t index_of_problem(std::string_view name) {
  for (std::size_t i = 0; i < problems().size(); ++i) {
    if (problems()[i]->name() == name) {
      return i;
    }
  }
  throw bad_cell("problem", unknown_name("problem", name, problem_names()));
}

}  // namespace weft::lab::inncabs
