// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem histogram: how many of n random elements fall into each of 256 bins.
#include <array>
#include <cmath>
#include <cstddef>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace histogram_problem {

template <class T>
class histogram_experiment final : public repeatable_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::histogram;
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) {
    return size * sizeof(T) + static_cast<double>(kernels::num_bins * sizeof(std::size_t));
  }

  explicit histogram_experiment(const setup<T>& given)
      : input_(given.input(given.what.size)),
        counts_(kernels::num_bins),
        call_(given.offered.histogram) {
    fill_bins(input_.elements(), kernels::num_bins, given.what.seed);
  }

  verdict verify() override {
    counts_.poison_elements();
    call_(input_.begin(), input_.end(), counts_.begin());
    output_check<std::size_t> check(counts_);
    for (const std::size_t expected : expected_counts()) {
      check.expect(expected);
    }
    return {check.mismatch(counts_.end())};
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call_(input_.begin(), input_.end(), counts_.begin());
      clobber();
    }
  }

  /// The counts stay in a cache.
  [[nodiscard]] std::size_t bytes_min() const override { return input_.size() * sizeof(T); }

 private:
  /// Bin i counts elements from i to below i + 1.
  [[nodiscard]] std::array<std::size_t, kernels::num_bins> expected_counts() const {
    std::array<std::size_t, kernels::num_bins> counts{};
    for (const T element : input_) {
      ++counts.at(static_cast<std::size_t>(std::floor(static_cast<double>(element))));
    }
    return counts;
  }

  guarded_array<T> input_;
  guarded_array<std::size_t> counts_;
  decltype(operations<T>::histogram) call_;
};

const registration histogram(describe<histogram_experiment>("histogram"));

}  // namespace histogram_problem
}  // namespace weft::lab::stl
