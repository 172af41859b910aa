// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sort: four-way merge sort with parallel merges, of permutations of 1, 2, ..., n.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/tasks/bodies/sort_pieces.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace sort_problem {

std::vector<double> permutation(std::size_t size, std::uint64_t seed) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.0);
  std::ranges::shuffle(values, std::mt19937_64(seed));
  return values;
}

class sort_experiment final : public task_experiment {
 public:
  using sort_call = void (*)(double* first, double* last, double* scratch);

  sort_experiment(const request& what, std::uint64_t seed, sort_call by, std::uint64_t num_tasks)
      : task_experiment(num_tasks),
        shuffled_(permutation(what.size, seed)),
        values_(shuffled_),
        scratch_(what.size),
        sort_(by) {}

  verdict verify() override {
    prepare(1);
    run(1);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (const auto expected = static_cast<double>(i + 1); values_[i] != expected) {
        return {"element " + std::to_string(i) + " is " + std::to_string(values_[i]) +
                ", expected " + std::to_string(expected)};
      }
    }
    return {};
  }

  void prepare(std::size_t /*count*/) override { std::ranges::copy(shuffled_, values_.begin()); }

  void run(std::size_t /*count*/) override {
    sort_(values_.data(), values_.data() + values_.size(), scratch_.data());
    clobber();
  }

  [[nodiscard]] std::size_t max_calls() const override { return 1; }
  [[nodiscard]] std::size_t bytes_min() const override {
    return 2 * values_.size() * sizeof(double);
  }

 private:
  std::vector<double> shuffled_;
  std::vector<double> values_;
  std::vector<double> scratch_;
  sort_call sort_;
};

class sort_problem final : public problem {
 public:
  using problem::problem;

  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override {
    return 3 * what.size * sizeof(double);
  }

 protected:
  [[nodiscard]] bool is_offered(const operations& by) const override { return by.sort != nullptr; }
  [[nodiscard]] std::uint64_t num_tasks(const request& what) const override {
    return num_sort_tasks(what.size);
  }
  [[nodiscard]] std::unique_ptr<experiment> start(const request& what,
                                                  const cell& from,
                                                  const operations& by) const override {
    return std::make_unique<sort_experiment>(what, from.seed, by.sort, num_tasks(what));
  }
};

bool takes(std::uint64_t size) { return size >= 1 && size <= (std::uint64_t{1} << 31U); }

const sort_problem sort({.name = "sort",
                         .sizes = "a number of elements from 1 to 2^31",
                         .takes_size = takes});
const registration in_table(sort);

}  // namespace sort_problem
}  // namespace weft::lab::tasks
