// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem integrate: x^3 + x from 0 to n by adaptive trapezoids, one task per interval.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/tasks/bodies/integrand.hpp"
#include "lab/tasks/operations.hpp"
#include "lab/tasks/problem.hpp"

namespace weft::lab::tasks {
namespace integrate_problem {

/// The antiderivative gives the exact area, without quadrature.
double exact_area(double end) { return end * end * end * end / 4 + end * end / 2; }

std::uint64_t num_intervals(const trapezoid& whole) {
  const halves parts(whole);
  return parts.are_close_to(whole) ? 1 : 1 + num_intervals(parts.left) + num_intervals(parts.right);
}

class integrate_experiment final : public task_experiment {
 public:
  integrate_experiment(double end, double (*area)(double), std::uint64_t num_tasks)
      : task_experiment(num_tasks), end_(end), area_(area) {}

  verdict verify() override {
    constexpr double relative_error_max = 1e-9;
    const double found = area_(end_);
    const double expected = exact_area(end_);
    // Written so that NaN is a mismatch.
    if (std::abs(found - expected) <= relative_error_max * expected) {
      return {};
    }
    return {"the area is " + std::to_string(found) + ", expected " + std::to_string(expected)};
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(end_);
      keep(area_(end_));
    }
  }

 private:
  double end_;
  double (*area_)(double);
};

class integrate_problem final : public problem {
 public:
  using problem::problem;

  [[nodiscard]] std::size_t memory_bytes(const cell& /*what*/) const override { return 0; }

 protected:
  [[nodiscard]] bool is_offered(const operations& by) const override {
    return by.integrate != nullptr;
  }
  [[nodiscard]] std::uint64_t num_tasks(const request& what) const override {
    return num_intervals(trapezoid::below(static_cast<double>(what.size)));
  }
  [[nodiscard]] std::unique_ptr<experiment> start(const request& what,
                                                  const cell& /*from*/,
                                                  const operations& by) const override {
    return std::make_unique<integrate_experiment>(
        static_cast<double>(what.size), by.integrate, num_tasks(what));
  }
};

bool takes(std::uint64_t size) { return size >= 1 && size <= 100'000; }

const integrate_problem integrate({.name = "integrate",
                                   .sizes = "an upper end from 1 to 100000",
                                   .takes_size = takes});
const registration in_table(integrate);

}  // namespace integrate_problem
}  // namespace weft::lab::tasks
