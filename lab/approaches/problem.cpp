// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of problems, and the reasons not to run one.
#include "lab/approaches/problem.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/topology.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/harness/placement.hpp"
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
    if (of.impossible_on != nullptr) {
      // Read for each cell: the placement is that of the first cell, fixed after the program's
      // start.
      if (auto cannot = of.impossible_on(read_machine())) {
        return *std::move(cannot);
      }
    }
    return made;
  }
  return skip{.code = "not_offered",
              .message = "approach " + std::string(with.name) + " has nothing for " + what.problem,
              .remedy = "run this cell with another approach"};
}

std::optional<skip> without_two_cores(const base::topology& machine) {
  const auto is_usable = [&machine](int hardware_thread) {
    return machine.affinity.empty() ||
           std::ranges::find(machine.affinity, hardware_thread) != machine.affinity.end();
  };
  const auto num_cores = std::ranges::count_if(machine.cores, [&is_usable](const base::core& each) {
    return std::ranges::any_of(each.hardware_threads, is_usable);
  });
  const base::cpu_share share = machine.usable_cpus();
  if (num_cores >= 2 && share.cpus >= 2) {
    return std::nullopt;
  }
  return skip{.code = "too_few_cores",
              .message = "a round trip takes two cores; this process may use " +
                         std::to_string(share.cpus) + " hardware thread" +
                         (share.cpus == 1 ? "" : "s of one core") + " (" + share.source + ")",
              .remedy =
                  "let it use two cores: taskset, placement and CPU quota may each hold it "
                  "to one"};
}

std::int64_t parameter_value(const cell& what, std::string_view name) {
  const std::vector<parameter>& known = problem_named(what.problem).parameters;
  return value_of(*std::ranges::find(known, name, &parameter::name), what.params);
}

}  // namespace weft::lab::approaches
