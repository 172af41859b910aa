// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite's description of a problem, and the most common kind: its answer is one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/tasks/backend.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::tasks {

using make_result = std::variant<std::unique_ptr<experiment>, skip>;

/// The name of a problem, its valid sizes, and its parameters.
struct description {
  std::string_view name;
  /// "n from 1 to 50": completes "takes ..."
  std::string_view sizes;
  bool (*takes_size)(std::uint64_t size);
  /// At most one: its value is `request::option`.
  std::span<const parameter> parameters = {};
  /// Below this many threads the problem has no meaning.
  int min_threads = 1;
};

/// One row of the suite's table. Problems and runtimes are independent of each other.
class problem {
 public:
  explicit problem(const description& what) : about_(what) {}
  problem(const problem&) = delete;
  problem& operator=(const problem&) = delete;
  virtual ~problem() = default;

  [[nodiscard]] std::string_view name() const noexcept { return about_.name; }
  [[nodiscard]] std::string_view sizes() const noexcept { return about_.sizes; }
  [[nodiscard]] std::span<const parameter> parameters() const noexcept { return about_.parameters; }
  [[nodiscard]] bool takes_size(std::uint64_t size) const { return about_.takes_size(size); }
  /// Inputs, oracle and result. Units: bytes.
  [[nodiscard]] virtual std::size_t memory_bytes(const cell& what) const = 0;
  /// Returns the experiment, or why this runtime cannot run it.
  [[nodiscard]] make_result make(const cell& what, const backend& with) const;

 protected:
  [[nodiscard]] virtual bool is_offered(const operations& by) const = 0;
  /// How many tasks one call makes.
  [[nodiscard]] virtual std::uint64_t num_tasks(const request& what) const = 0;
  [[nodiscard]] virtual std::unique_ptr<experiment> start(const request& what,
                                                          const cell& from,
                                                          const operations& by) const = 0;

 private:
  [[nodiscard]] request request_of(const cell& what) const;

  description about_;
};

/// All problems of this program, sorted by name.
std::span<const problem* const> problems();

std::vector<std::string> problem_names();

/// Adds a problem to the table before `main`; for objects at namespace scope in
/// lab/tasks/problems. The problem must outlive the table.
class registration {
 public:
  explicit registration(const problem& what);
};

/// For experiments that need no preparation; stores the number of tasks of a call.
class task_experiment : public experiment {
 public:
  explicit task_experiment(std::uint64_t num_tasks) : num_tasks_(num_tasks) {}

  void prepare(std::size_t /*count*/) override {}
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30U; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> num_tasks() const override { return num_tasks_; }

 private:
  std::uint64_t num_tasks_;
};

/// A problem whose answer is one number.
class numeric_problem final : public problem {
 public:
  /// The operation to call, its right answer, and the number of tasks it makes. Also the pause of
  /// the workers before each call (0: none), and whether the operation uses `request::calls`: then
  /// a sample enters the runtime once.
  /// Units:   seconds.
  struct rules {
    numeric_operation operations::* needs;
    std::uint64_t (*answer)(const request& what);
    std::uint64_t (*num_tasks)(const request& what);
    double rest_s = 0;
    bool enters_once = false;
  };

  numeric_problem(const description& what, const rules& by) : problem(what), rules_(by) {}

  [[nodiscard]] std::size_t memory_bytes(const cell& /*what*/) const override { return 0; }

 protected:
  [[nodiscard]] bool is_offered(const operations& by) const override {
    return by.*rules_.needs != nullptr;
  }
  [[nodiscard]] std::uint64_t num_tasks(const request& what) const override {
    return rules_.num_tasks(what);
  }
  [[nodiscard]] std::unique_ptr<experiment> start(const request& what,
                                                  const cell& from,
                                                  const operations& by) const override;

 private:
  rules rules_;
};

/// `size` operations, which make that many tasks and count up to `size`: the common form of micro
/// problems.
inline std::uint64_t size_of(const request& what) { return what.size; }

constexpr std::string_view operations_per_call = "a number of operations from 1 to 10^7";
inline bool is_operations_per_call(std::uint64_t size) { return size >= 1 && size <= 10'000'000; }

}  // namespace weft::lab::tasks
