// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems sort and sort_in_place: random permutations of 1, 2, ..., n. sort uses any method;
// sort_in_place uses a user's comparison and no buffer.
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
namespace sort_problem {

/// `Kind<T>` has the members `needs` and `scratch` of a problem.
template <class T, class Kind>
class sorting_experiment final : public experiment {
 public:
  static constexpr auto needs = Kind::needs;
  static constexpr auto scratch = Kind::scratch;
  static double array_bytes(double size) {
    return 2 * size * sizeof(T) + batch_input_bytes<T>(size);
  }

  explicit sorting_experiment(const setup<T>& given)
      : size_(given.what.size),
        shuffled_(given.input(size_)),
        copies_(given.output(size_ * num_inputs<T>(size_))),
        call_(given.offered.*needs),
        random_(given.what.seed) {
    shuffle_again();
  }

  /// The sorted elements are 1, 2, ..., n, converted to T: conversion keeps the order.
  verdict verify() override {
    copies_.poison_elements();
    prepare(1);
    call_(copy(0), copy(1));
    output_check<T> check(copies_);
    for (std::size_t i = 0; i < size_; ++i) {
      check.expect(static_cast<T>(i + 1));
    }
    return {check.mismatch(copy(1))};
  }

  void prepare(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      std::copy(shuffled_.begin(), shuffled_.end(), copy(i));
      if (may_be_learnt(size_)) {
        shuffle_again();
      }
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call_(copy(i), copy(i + 1));
      clobber();
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return copies_.size() / size_; }
  [[nodiscard]] std::size_t bytes_min() const override { return 2 * size_ * sizeof(T); }

 private:
  void shuffle_again() {
    fill_counting(shuffled_.elements());
    shuffle(shuffled_.elements(), random_);
  }

  [[nodiscard]] T* copy(std::size_t i) const { return copies_.begin() + i * size_; }

  std::size_t size_;
  guarded_array<T> shuffled_;
  guarded_array<T> copies_;
  void (*call_)(T* first, T* last);
  random_bits random_;
};

template <class T>
struct in_any_way {
  static constexpr auto needs = &operations<T>::sort;
  static constexpr auto scratch = &scratch_factors::sort;
};

template <class T>
struct without_buffer {
  static constexpr auto needs = &operations<T>::sort_in_place;
  static constexpr auto scratch = &scratch_factors::others;
};

template <class T>
using sort_experiment = sorting_experiment<T, in_any_way<T>>;
template <class T>
using sort_in_place_experiment = sorting_experiment<T, without_buffer<T>>;

const registration sort(describe<sort_experiment>("sort"));
const registration sort_in_place(describe<sort_in_place_experiment>("sort_in_place"));

}  // namespace sort_problem
}  // namespace weft::lab::stl
