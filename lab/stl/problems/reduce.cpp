// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems reduce and transform_reduce: the sum of 1, 2, ..., n or of -1, -2, ..., -n (double), or
// of exact summands (int, float, where 1 + ... + n overflows or rounds).
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"
#include "lab/stl/sums.hpp"

namespace weft::lab::stl {
namespace reduce_problem {

template <class T>
using sum_of = T (*)(const T* first, const T* last);

/// `sign`: 1 if the elements are summed, -1 if their negatives are.
template <class T>
class sum_experiment : public repeatable_experiment<T> {
 public:
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) { return size * sizeof(T); }

  sum_experiment(const setup<T>& given, sum_of<T> call, int sign)
      : input_(given.input(given.what.size)), call_(call), sign_(sign), seed_(given.what.seed) {}

  verdict verify() override {
    verdict exact = verify_exact_summands();
    if (!exact.is_right() || !std::is_same_v<T, double>) {
      return exact;
    }
    return verify_counting_sum();
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_(input_.begin(), input_.end()));
    }
  }

  [[nodiscard]] std::size_t bytes_min() const override { return input_.size() * sizeof(T); }

 private:
  verdict verify_exact_summands() const {
    fill_exact_summands(input_.elements(), seed_);
    T expected{};
    for (const T element : input_) {
      expected += static_cast<T>(sign_) * element;
    }
    const T sum = call_(input_.begin(), input_.end());
    if (sum == expected) {
      return {};
    }
    return {"the sum is " + text_of(sum) + ", expected " + text_of(expected)};
  }

  verdict verify_counting_sum() const {
    fill_counting(input_.elements());
    const long double expected = sign_ * counting_sum(input_.size());
    const long double tolerance = counting_sum_tolerance<T>(input_.size());
    const T sum = call_(input_.begin(), input_.end());
    if (std::fabs(static_cast<long double>(sum) - expected) <= tolerance) {
      return {};
    }
    return {"the sum of 1, 2, ..., " + text_of(input_.size()) + " is " + text_of(sum) +
            ", expected " + text_of(expected) + " within " + text_of(tolerance)};
  }

  guarded_array<T> input_;
  sum_of<T> call_;
  int sign_;
  std::uint64_t seed_;
};

template <class T>
class reduce_experiment final : public sum_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::reduce;
  explicit reduce_experiment(const setup<T>& given)
      : sum_experiment<T>(given, given.offered.reduce, 1) {}
};

template <class T>
class transform_reduce_experiment final : public sum_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::transform_reduce;
  explicit transform_reduce_experiment(const setup<T>& given)
      : sum_experiment<T>(given, given.offered.transform_reduce, -1) {}
};

const registration reduce(describe<reduce_experiment>("reduce"));
const registration transform_reduce(describe<transform_reduce_experiment>("transform_reduce"));

}  // namespace reduce_problem
}  // namespace weft::lab::stl
