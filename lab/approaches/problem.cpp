// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of problems; what keeps one from being run.
#include "lab/approaches/problem.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/approaches/backend.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/tasks/task_limit.hpp"

namespace weft::lab::approaches {
namespace {

std::array<std::span<const problem>, 2> tables() {
  return {overhead_problems(), taylor_problems()};
}

}  // namespace

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  for (const std::span<const problem> table : tables()) {
    for (const problem& row : table) {
      names.emplace_back(row.id);
    }
  }
  std::ranges::sort(names);
  return names;
}

const problem& problem_named(std::string_view name) {
  for (const std::span<const problem> table : tables()) {
    const auto found = std::ranges::find(table, name, &problem::id);
    if (found != table.end()) {
      return *found;
    }
  }
  throw bad_cell("problem", unknown_name("problem", name, problem_names()));
}

make_result make_experiment(const cell& what, const backend& with) {
  const problem& of = problem_named(what.problem);
  if (const std::uint64_t tasks = of.num_tasks(what); tasks > with.limit.max_tasks) {
    return tasks::too_many_tasks(with.name, with.limit, tasks);
  }
  if (std::unique_ptr<experiment> made = of.start(what, with.offered)) {
    return made;
  }
  return skip{.code = "not_offered",
              .message = "approach " + std::string(with.name) + " has nothing for " + what.problem,
              .remedy = "run this cell with another approach"};
}

std::int64_t parameter_value(const cell& what, std::string_view name) {
  const std::vector<parameter>& known = problem_named(what.problem).parameters;
  return value_of(*std::ranges::find(known, name, &parameter::name), what.params);
}

}  // namespace weft::lab::approaches
