// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem idle: the CPU time of the workers while there is nothing to do, from the end of the last
// task on, for `size` milliseconds. The result is the CPU time, not the time of a call.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/tasks/bodies/busy_work.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace idle_problem {

/// Enough tasks to wake every worker.
constexpr std::uint64_t num_tasks_before = 1000;
constexpr std::uint64_t steps_of_task = 100;

class idle_experiment final : public experiment {
 public:
  idle_experiment(const request& what, numeric_operation grain)
      : work_{.size = num_tasks_before, .threads = what.threads, .option = steps_of_task},
        grain_(grain),
        rest_(what.size) {}

  verdict verify() override {
    std::uint64_t expected = 0;
    for (std::uint64_t task = 0; task < num_tasks_before; ++task) {
      expected += busy_work(task, steps_of_task);
    }
    const std::uint64_t found = grain_(work_);
    if (found == expected) {
      return {};
    }
    return {"the work before the rest is " + std::to_string(found) + ", expected " +
            std::to_string(expected)};
  }

  void prepare(std::size_t /*count*/) override { keep(grain_(work_)); }
  void run(std::size_t /*count*/) override { std::this_thread::sleep_for(rest_); }
  [[nodiscard]] std::size_t max_calls() const override { return 1; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }

 private:
  request work_;
  numeric_operation grain_;
  std::chrono::milliseconds rest_;
};

class idle_problem final : public problem {
 public:
  using problem::problem;

  [[nodiscard]] std::size_t memory_bytes(const cell& /*what*/) const override { return 0; }

 protected:
  [[nodiscard]] bool is_offered(const operations& by) const override { return by.grain != nullptr; }
  [[nodiscard]] std::uint64_t num_tasks(const request& /*what*/) const override {
    return num_tasks_before;
  }
  [[nodiscard]] std::unique_ptr<experiment> start(const request& what,
                                                  const cell& /*from*/,
                                                  const operations& by) const override {
    return std::make_unique<idle_experiment>(what, by.grain);
  }
};

bool takes(std::uint64_t size) { return size >= 1 && size <= 60'000; }

const idle_problem idle({.name = "idle",
                         .sizes = "a number of milliseconds from 1 to 60000",
                         .takes_size = takes});
const registration in_table(idle);

}  // namespace idle_problem
}  // namespace weft::lab::tasks
