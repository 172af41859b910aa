// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem matmul: the product of two n x n matrices, quartered recursively down to 32 x 32.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/tasks/bodies/matmul_tile.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace matmul_problem {

/// Small integers, so that every product and sum is exact in any order.
std::vector<double> small_integers(std::size_t size, std::uint64_t seed) {
  constexpr std::uint64_t multiplier = 6364136223846793005U;
  std::vector<double> values(size);
  std::uint64_t state = seed;
  for (double& value : values) {
    state = state * multiplier + 1442695040888963407U;
    value = static_cast<double>((state >> 40U) % 17) - 8;
  }
  return values;
}

/// One row of a * b, by the definition.
void product_row(const double* row, const std::vector<double>& b, std::vector<double>& out) {
  const std::size_t n = out.size();
  std::ranges::fill(out, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < n; ++j) {
      out[j] += row[k] * b[k * n + j];
    }
  }
}

class matmul_experiment final : public task_experiment {
 public:
  using multiply = void (*)(const double*, const double*, double*, std::size_t);

  matmul_experiment(const request& what, std::uint64_t seed, multiply by, std::uint64_t num_tasks)
      : task_experiment(num_tasks),
        n_(what.size),
        a_(small_integers(n_ * n_, seed)),
        b_(small_integers(n_ * n_, seed + 1)),
        c_(n_ * n_),
        multiply_(by) {}

  verdict verify() override {
    std::ranges::fill(c_, -1.0);
    multiply_(a_.data(), b_.data(), c_.data(), n_);
    std::vector<double> expected(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      product_row(&a_[i * n_], b_, expected);
      const auto [wrong, right] =
          std::mismatch(expected.begin(), expected.end(), c_.begin() + row_begin(i));
      if (wrong != expected.end()) {
        const auto j = std::to_string(wrong - expected.begin());
        return {"element (" + std::to_string(i) + ", " + j + ") is " + std::to_string(*right) +
                ", expected " + std::to_string(*wrong)};
      }
    }
    return {};
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      multiply_(a_.data(), b_.data(), c_.data(), n_);
      clobber();
    }
  }

  [[nodiscard]] std::size_t bytes_min() const override { return 3 * n_ * n_ * sizeof(double); }

 private:
  [[nodiscard]] std::ptrdiff_t row_begin(std::size_t i) const {
    return static_cast<std::ptrdiff_t>(i * n_);
  }

  std::size_t n_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  multiply multiply_;
};

class matmul_problem final : public problem {
 public:
  using problem::problem;

  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override {
    return 3 * what.size * what.size * sizeof(double);
  }

 protected:
  [[nodiscard]] bool is_offered(const operations& by) const override {
    return by.matmul != nullptr;
  }
  /// Eight products of quarters per product, down to the tiles.
  [[nodiscard]] std::uint64_t num_tasks(const request& what) const override {
    std::uint64_t tasks = 1;
    for (std::uint64_t n = tile_rows; n < what.size; n *= 2) {
      tasks = 1 + 8 * tasks;
    }
    return tasks;
  }
  [[nodiscard]] std::unique_ptr<experiment> start(const request& what,
                                                  const cell& from,
                                                  const operations& by) const override {
    return std::make_unique<matmul_experiment>(what, from.seed, by.matmul, num_tasks(what));
  }
};

bool takes(std::uint64_t size) { return std::has_single_bit(size) && size <= 8192; }

const matmul_problem matmul({.name = "matmul",
                             .sizes = "n, a power of two from 1 to 8192",
                             .takes_size = takes});
const registration in_table(matmul);

}  // namespace matmul_problem
}  // namespace weft::lab::tasks
