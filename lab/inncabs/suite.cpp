// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks cells against the table of problems and passes them to the problem they name.
#include "lab/inncabs/suite.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/launch_policy.hpp"
#include "lab/inncabs/parameters.hpp"
#include "lab/inncabs/problem.hpp"
#include "lab/inncabs/trial.hpp"
#include "lab/tasks/task_limit.hpp"

namespace weft::lab::inncabs {
namespace {

const problem& problem_named(std::string_view name) { return *problems()[index_of_problem(name)]; }

void refuse_unless(bool is_default, std::string_view field, std::string_view only) {
  if (!is_default) {
    throw bad_cell(std::string(field),
                   "the suite inncabs knows " + std::string(field) + " \"" + std::string(only) +
                       "\" only; leave the field out");
  }
}

skip has_no_policy(const backend& with, launch_policy how) {
  std::string offered;
  for (const launch_policy each : launch_policies) {
    if (with.has_policy(each)) {
      offered += (offered.empty() ? "launch=" : ", launch=") +
                 std::to_string(static_cast<int>(each)) + " (" + std::string(name_of(each)) + ")";
    }
  }
  return {.code = "not_offered",
          .message = "runtime " + std::string(with.name) + " has no launch policy " +
                     std::string(name_of(how)),
          .remedy = "ask for " + offered};
}

skip did_not_survive(const backend& with,
                     const std::string& how,
                     std::uint64_t num_started,
                     std::optional<std::uint64_t> num_tasks) {
  const std::string all = num_tasks ? " of " + std::to_string(*num_tasks) : std::string{};
  return {.code = "unsupported",
          .message = std::string(with.name) + " failed after it had started " +
                     std::to_string(num_started) + all + " tasks, in a process of its own: " + how +
                     "; " + std::string(with.limit.reason),
          .remedy = "ask for a smaller size or another runtime"};
}

/// Tries one call in a separate process, and returns why the runtime did not survive it.
std::optional<skip> try_out(const backend& with, experiment& subject) {
  with.tasks_started->store(0, std::memory_order_relaxed);
  const trial_end end = try_in_child(
      [](void* context) {
        auto& tried = *static_cast<experiment*>(context);
        tried.prepare(1);
        tried.run(1);
      },
      &subject,
      {});
  if (end.is_survived) {
    return std::nullopt;
  }
  return did_not_survive(
      with, end.how, with.tasks_started->load(std::memory_order_relaxed), subject.num_tasks());
}

std::optional<skip> may_not_run(const backend& with, experiment& subject) {
  const std::optional<std::uint64_t> num_tasks = subject.num_tasks();
  if (num_tasks && *num_tasks <= with.limit.max_tasks) {
    return std::nullopt;
  }
  if (with.tasks_started != nullptr) {
    return try_out(with, subject);
  }
  if (num_tasks) {
    return tasks::too_many_tasks(with.name, with.limit, *num_tasks);
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, std::string> inncabs_suite::libraries() const { return backend_.libraries(); }

std::vector<std::string> inncabs_suite::problems() const { return problem_names(); }

void inncabs_suite::check(const cell& what) const {
  const problem& of = problem_named(what.problem);
  refuse_unless(what.type == "double", "type", "double");
  refuse_unless(what.allocator == "default", "allocator", "default");
  if (!is_size(what.size)) {
    throw bad_cell("size",
                   "size is " + std::to_string(what.size) +
                       "; the suite inncabs takes the classes "
                       "of inputs 1 (tiny), 2 (small) and 3 (paper)");
  }
  check_parameters(of.name(), of.parameters(), what.params);
}

std::size_t inncabs_suite::memory_bytes(const cell& what) const {
  return problem_named(what.problem).memory_bytes(request_of(what).which);
}

std::variant<std::unique_ptr<experiment>, skip> inncabs_suite::make(const cell& what) const {
  const request asked = request_of(what);
  if (!backend_.has_policy(asked.how)) {
    return has_no_policy(backend_, asked.how);
  }
  const std::size_t index = index_of_problem(what.problem);
  std::unique_ptr<experiment> made =
      inncabs::problems()[index]->start(asked, backend_.bodies[index]);
  if (std::optional<skip> cannot = may_not_run(backend_, *made)) {
    return *std::move(cannot);
  }
  return made;
}

void inncabs_suite::with_threads(int threads, void (*body)(void* context), void* context) const {
  backend_.with_threads(threads, body, context);
}

}  // namespace weft::lab::inncabs
