// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the table of workers and the CPUs that they may run on.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "weft/base/topology.hpp"
#include "weft/tasks/placement.hpp"
#include "weft/tasks/runtime_options.hpp"

namespace weft::tasks {

namespace {

constexpr std::size_t num_columns = 4;
using row = std::array<std::string, num_columns>;

const char* name_of(bind_policy bind) {
  switch (bind) {
    case bind_policy::compact:
      return "compact";
    case bind_policy::scatter:
      return "scatter";
    case bind_policy::balanced:
      return "balanced";
    case bind_policy::none:
      break;
  }
  return "none";
}

/// Returns "0-3,8" for 0, 1, 2, 3, 8.
std::string list_text(const std::set<int>& numbers) {
  std::string text;
  for (auto first = numbers.begin(); first != numbers.end();) {
    auto behind = std::next(first);
    int last = *first;
    while (behind != numbers.end() && *behind == last + 1) {
      last = *behind++;
    }
    text += (text.empty() ? "" : ",") + std::to_string(*first);
    text += last == *first ? "" : "-" + std::to_string(last);
    first = behind;
  }
  return text;
}

row row_of(std::size_t worker, const std::vector<int>& cpus, const base::topology& machine) {
  std::set<int> cores;
  std::set<int> nodes;
  for (const base::hardware_thread& thread : machine.hardware_threads) {
    if (std::ranges::binary_search(cpus, thread.id)) {
      cores.insert(thread.core);
      nodes.insert(thread.numa_node);
    }
  }
  return {std::to_string(worker),
          list_text({cpus.begin(), cpus.end()}),
          list_text(cores),
          list_text(nodes)};
}

std::string table_text(const std::vector<row>& rows) {
  std::array<std::size_t, num_columns> widths{};
  for (const row& each : rows) {
    for (std::size_t i = 0; i < num_columns; ++i) {
      widths[i] = std::max(widths[i], each[i].size());
    }
  }
  std::string text;
  for (const row& each : rows) {
    for (std::size_t i = 0; i + 1 < num_columns; ++i) {
      text += each[i] + std::string(widths[i] - each[i].size() + 2, ' ');
    }
    text += each.back() + '\n';
  }
  return text;
}

}  // namespace

std::string print_binding(const placement_plan& plan, const base::topology& machine) {
  std::vector<row> rows = {{"worker", "CPUs", "cores", "NUMA nodes"}};
  for (std::size_t i = 0; i < plan.cpus.size(); ++i) {
    rows.push_back(row_of(i, plan.cpus[i], machine));
  }
  std::string text = "workers: " + std::to_string(plan.num_workers()) + " (" + plan.workers_source +
                     "); bind: " + name_of(plan.bind) + '\n' + table_text(rows);
  for (const std::string& warning : plan.warnings) {
    text += "warning: " + warning + '\n';
  }
  return text;
}

}  // namespace weft::tasks
