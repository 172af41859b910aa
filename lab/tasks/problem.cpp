// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of problems, filled by the problems themselves, and the reasons not to run one.
#include "lab/tasks/problem.hpp"

#include <algorithm>  // IWYU pragma: keep: std::ranges::lower_bound
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/task_limit.hpp"

namespace weft::lab::tasks {
namespace {

std::vector<const problem*>& table() {
  static std::vector<const problem*> rows;
  return rows;
}

skip not_offered(std::string_view problem, const backend& by) {
  return {.code = "not_offered",
          .message = "runtime " + std::string(by.name) + " has nothing for " + std::string(problem),
          .remedy = "run this cell with another runtime"};
}

skip too_few_threads(std::string_view problem, int least) {
  return {.code = "unsupported",
          .message = std::string(problem) + " needs " + std::to_string(least) +
                     " threads that run at the same time",
          .remedy = "ask for --threads " + std::to_string(least) + " or more"};
}

class numeric_experiment : public task_experiment {
 public:
  struct operation {
    request what;
    numeric_operation answer_by;
    std::uint64_t expected;
  };

  numeric_experiment(const operation& made, std::uint64_t num_tasks)
      : task_experiment(num_tasks), made_(made) {}

  verdict verify() override { return verified(made_); }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call(made_);
    }
  }

 protected:
  [[nodiscard]] operation calls_of(std::uint64_t count) const {
    operation several = made_;
    several.what.calls = count;
    several.expected *= count;
    return several;
  }

  static verdict verified(const operation& made) {
    const std::uint64_t found = made.answer_by(made.what);
    if (found == made.expected) {
      return {};
    }
    const std::string of = made.what.calls == 1
                               ? "the answer"
                               : "the sum of " + std::to_string(made.what.calls) + " answers";
    return {of + " is " + std::to_string(found) + ", expected " + std::to_string(made.expected)};
  }

  static void call(const operation& made) {
    keep(made.what);
    keep(made.answer_by(made.what));
  }

 private:
  operation made_;
};

/// Makes all calls of a sample inside the runtime, which is entered once, so that only the
/// operation is timed.
class entered_experiment final : public numeric_experiment {
 public:
  using numeric_experiment::numeric_experiment;

  /// Checks two calls as well: an operation that omits all calls but one would seem fast.
  verdict verify() override {
    const verdict of_one = numeric_experiment::verify();
    return of_one.is_right() ? verified(calls_of(2)) : of_one;
  }

  void run(std::size_t count) override { call(calls_of(count)); }
};

/// One call per sample, after a pause in which idle workers may fall asleep.
class rested_experiment final : public numeric_experiment {
 public:
  rested_experiment(const operation& made, std::uint64_t num_tasks, double rest_s)
      : numeric_experiment(made, num_tasks), rest_(rest_s) {}

  void prepare(std::size_t /*count*/) override { std::this_thread::sleep_for(rest_); }
  [[nodiscard]] std::size_t max_calls() const override { return 1; }

 private:
  std::chrono::duration<double> rest_;
};

}  // namespace

std::span<const problem* const> problems() { return table(); }

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  names.reserve(table().size());
  for (const problem* row : table()) {
    names.emplace_back(row->name());
  }
  return names;
}

registration::registration(const problem& what) {
  const auto place = std::ranges::lower_bound(table(), what.name(), {}, &problem::name);
  table().insert(place, &what);
}

request problem::request_of(const cell& what) const {
  request made{.size = what.size, .threads = what.threads, .option = 0};
  for (const parameter& known : about_.parameters) {
    made.option = static_cast<std::uint64_t>(value_of(known, what.params));
  }
  return made;
}

make_result problem::make(const cell& what, const backend& with) const {
  if (!is_offered(with.offered)) {
    return not_offered(name(), with);
  }
  if (what.threads < about_.min_threads) {
    return too_few_threads(name(), about_.min_threads);
  }
  const request asked = request_of(what);
  if (const std::uint64_t tasks = num_tasks(asked); tasks > with.limit.max_tasks) {
    return too_many_tasks(with.name, with.limit, tasks);
  }
  return start(asked, what, with.offered);
}

std::unique_ptr<experiment> numeric_problem::start(const request& what,
                                                   const cell& /*from*/,
                                                   const operations& by) const {
  const numeric_experiment::operation made{
      .what = what, .answer_by = by.*rules_.needs, .expected = rules_.answer(what)};
  const std::uint64_t tasks = num_tasks(what);
  if (rules_.rest_s > 0) {
    return std::make_unique<rested_experiment>(made, tasks, rules_.rest_s);
  }
  if (rules_.enters_once) {
    return std::make_unique<entered_experiment>(made, tasks);
  }
  return std::make_unique<numeric_experiment>(made, tasks);
}

}  // namespace weft::lab::tasks
