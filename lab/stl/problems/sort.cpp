// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem sort: a random permutation of 1, 2, ..., n, in place.
#include <algorithm>
#include <cstddef>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace {

// Enough copies to time the sort of a few elements, few enough to stay in the second-level cache.
constexpr std::size_t batch_bytes = std::size_t{256} << 10U;

template <class T>
class sort_experiment final : public experiment {
 public:
  static constexpr auto needs = &operations<T>::sort;
  static constexpr auto scratch = &scratch_factors::sort;
  static double array_bytes(double size) { return 2 * size * sizeof(T) + batch_bytes; }

  explicit sort_experiment(const setup<T>& given)
      : shuffled_(given.input(given.what.size)),
        max_calls_(std::max<std::size_t>(1, batch_bytes / (given.what.size * sizeof(T)))),
        copies_(given.output(given.what.size * max_calls_)),
        call_(given.offered.sort) {
    fill_shuffled(shuffled_.elements(), given.what.seed);
  }

  /// The sorted elements are 1, 2, ..., n, converted to T: conversion keeps the order.
  verdict verify() override {
    copies_.poison_elements();
    prepare(1);
    call_(copies_.begin(), copies_.begin() + shuffled_.size());
    output_check<T> check(copies_);
    for (std::size_t i = 0; i < shuffled_.size(); ++i) {
      check.expect(static_cast<T>(i + 1));
    }
    return {check.mismatch(copies_.begin() + shuffled_.size())};
  }

  void prepare(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      std::copy(shuffled_.begin(), shuffled_.end(), copy(i));
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call_(copy(i), copy(i + 1));
      clobber();
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return max_calls_; }
  [[nodiscard]] std::size_t bytes_min() const override { return 2 * shuffled_.size() * sizeof(T); }

 private:
  [[nodiscard]] T* copy(std::size_t i) const { return copies_.begin() + i * shuffled_.size(); }

  guarded_array<T> shuffled_;
  std::size_t max_calls_;
  guarded_array<T> copies_;
  void (*call_)(T* first, T* last);
};

const registration sort(describe<sort_experiment>("sort"));

}  // namespace
}  // namespace weft::lab::stl
