// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of the problems that read one array and write another.
#pragma once

#include <cstddef>

#include "lab/harness/keep.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {

/// An experiment with input, output and one call; the derived class fills the input.
template <class T>
class one_to_one : public repeatable_experiment<T> {
 public:
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) { return 2 * size * sizeof(T); }

  one_to_one(const setup<T>& given, typename operations<T>::one_to_one call)
      : input_(given.input(given.what.size)), output_(given.output(given.what.size)), call_(call) {}

  void run(std::size_t count) final {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_(input_.begin(), input_.end(), output_.begin()));
    }
  }

  [[nodiscard]] std::size_t bytes_min() const override { return 2 * input_.size() * sizeof(T); }

 protected:
  [[nodiscard]] const guarded_array<T>& input() const { return input_; }

  /// Calls once onto poisoned memory; `oracle(input, check)` names the expected output in order.
  template <class Oracle>
  verdict verify_with(Oracle oracle) const {
    output_.poison_elements();
    const T* returned_end = call_(input_.begin(), input_.end(), output_.begin());
    output_check<T> check(output_);
    oracle(input_, check);
    return {check.mismatch(returned_end)};
  }

 private:
  guarded_array<T> input_;
  guarded_array<T> output_;
  typename operations<T>::one_to_one call_;
};

}  // namespace weft::lab::stl
