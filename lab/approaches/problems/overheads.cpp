// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of one unit of an API with almost no work: time, allocations, bytes.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lab/approaches/allocations.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/problem.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/tasks/bodies/busy_work.hpp"

namespace weft::lab::approaches {
namespace {

constexpr std::uint64_t units_max = 10'000'000;
constexpr std::string_view units = "a number of operations from 1 to 10^7";
bool is_number_of_units(std::uint64_t n) { return n >= 1 && n <= units_max; }

std::uint64_t sum_below(const request& what) { return what.size * (what.size - 1) / 2; }
std::uint64_t size_of(const request& what) { return what.size; }
std::uint64_t sum_of_elements(const request& what) { return what.size * for_each_elements; }

std::uint64_t sum_of_work(const request& what) {
  std::uint64_t sum = 0;
  for (std::uint64_t task = 0; task < what.size; ++task) {
    sum += tasks::busy_work(task, what.option);
  }
  return sum;
}

class unit_experiment final : public experiment {
 public:
  unit_experiment(const request& what, numeric_operation answer_by, std::uint64_t expected)
      : what_(what), answer_by_(answer_by), expected_(expected) {}

  /// Counts the allocations of the second call: by then a runtime has allocated what it keeps.
  verdict verify() override {
    const std::uint64_t found = answer_by_(what_);
    if (found != expected_) {
      return {"the answer is " + std::to_string(found) + ", expected " + std::to_string(expected_)};
    }
    const allocation_counter counter;
    keep(answer_by_(what_));
    allocations_ = counter.counted();
    return {};
  }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(what_);
      keep(answer_by_(what_));
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30U; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> num_tasks() const override { return what_.size; }
  [[nodiscard]] std::optional<allocation_counts> allocations() const override {
    return allocations_;
  }

 private:
  request what_;
  numeric_operation answer_by_;
  std::uint64_t expected_;
  std::optional<allocation_counts> allocations_;
};

/// One call at a time; its input is made before it.
class prepared_experiment final : public experiment {
 public:
  prepared_experiment(const request& what,
                      std::unique_ptr<prepared_units> by,
                      std::uint64_t expected)
      : what_(what), by_(std::move(by)), expected_(expected) {}

  verdict verify() override {
    by_->prepare();
    const std::uint64_t found = by_->use();
    if (found != expected_) {
      return {"the answer is " + std::to_string(found) + ", expected " + std::to_string(expected_)};
    }
    by_->prepare();
    const allocation_counter counter;
    keep(by_->use());
    allocations_ = counter.counted();
    return {};
  }
  void prepare(std::size_t /*count*/) override { by_->prepare(); }
  void run(std::size_t /*count*/) override { keep(by_->use()); }
  [[nodiscard]] std::size_t max_calls() const override { return 1; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }
  [[nodiscard]] std::optional<std::uint64_t> num_tasks() const override { return what_.size; }
  [[nodiscard]] std::optional<allocation_counts> allocations() const override {
    return allocations_;
  }

 private:
  request what_;
  std::unique_ptr<prepared_units> by_;
  std::uint64_t expected_;
  std::optional<allocation_counts> allocations_;
};

template <prepared_operation operations::* member>
std::unique_ptr<experiment> start_prepared(const cell& what, const operations& by) {
  if (by.*member == nullptr) {
    return nullptr;
  }
  const request asked{.size = what.size, .threads = what.threads, .option = 0};
  return std::make_unique<prepared_experiment>(asked, (by.*member)(asked), sum_below(asked));
}

template <numeric_operation operations::* member, std::uint64_t (*answer)(const request& what)>
std::unique_ptr<experiment> start(const cell& what, const operations& by) {
  if (by.*member == nullptr) {
    return nullptr;
  }
  request asked{.size = what.size, .threads = what.threads, .option = 0};
  if constexpr (member == &operations::grain) {
    asked.option = static_cast<std::uint64_t>(parameter_value(what, "steps"));
  }
  return std::make_unique<unit_experiment>(asked, by.*member, answer(asked));
}

std::size_t nothing(const cell& /*what*/) { return 0; }
std::uint64_t one_per_unit(const cell& what) { return what.size; }
std::uint64_t one(const cell& /*what*/) { return 1; }

problem per_unit(std::string_view id, decltype(problem::start) start) {
  return {.id = id,
          .sizes = units,
          .takes_size = is_number_of_units,
          .parameters = {},
          .memory_bytes = nothing,
          .num_tasks = one_per_unit,
          .start = start};
}

/// `size` tasks of equal length, for efficiency over task size. A step takes about four cycles.
problem grain() {
  problem made = per_unit("grain", start<&operations::grain, sum_of_work>);
  made.parameters = {{.name = "steps", .minimum = 0, .maximum = 1 << 24, .default_value = 1000}};
  return made;
}

problem nested_wait() {
  problem made = per_unit("nested_wait", start<&operations::nested_wait, size_of>);
  made.sizes = "a depth from 1 to 10^4";
  made.takes_size = [](std::uint64_t depth) { return depth >= 1 && depth <= 10'000; };
  return made;
}

/// Not a task, but a thread beside the calling thread, on another core.
problem round_trip() {
  problem made = per_unit("round_trip", start<&operations::round_trip, size_of>);
  made.num_tasks = one;
  made.impossible_on = without_two_cores;
  return made;
}

}  // namespace

std::span<const problem> overhead_problems() {
  static const std::array<problem, 15> rows{
      per_unit("async_get", start<&operations::async_get, sum_below>),
      per_unit("await_future", start<&operations::await_future, sum_below>),
      per_unit("await_ready", start_prepared<&operations::await_ready>),
      per_unit("await_task", start<&operations::await_task, sum_below>),
      per_unit("bulk_chunk", start<&operations::bulk_chunk, sum_below>),
      per_unit("dataflow", start<&operations::dataflow, size_of>),
      per_unit("for_each_empty", start<&operations::for_each_empty, sum_of_elements>),
      grain(),
      nested_wait(),
      round_trip(),
      per_unit("schedule_from_outside", start<&operations::schedule_from_outside, sum_below>),
      per_unit("schedule_then_wait", start<&operations::schedule_then_wait, sum_below>),
      per_unit("then_chain", start<&operations::then_chain, size_of>),
      per_unit("when_all", start<&operations::when_all, sum_below>),
      per_unit("when_all_join", start_prepared<&operations::when_all_join>)};
  return rows;
}

}  // namespace weft::lab::approaches
