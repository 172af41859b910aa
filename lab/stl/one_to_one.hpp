// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of the problems that read one array and write another.
#pragma once

#include <cstddef>
#include <span>

#include "lab/harness/keep.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {

/// An experiment with one or more inputs, output and one call; the derived class fills the inputs.
template <class T>
class one_to_one : public repeatable_experiment<T> {
 public:
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) { return 2 * size * sizeof(T); }

  one_to_one(const setup<T>& given,
             typename operations<T>::one_to_one call,
             std::size_t num_inputs = 1)
      : inputs_(given.input(given.what.size * num_inputs)),
        output_(given.output(given.what.size)),
        call_(call) {}

  void run(std::size_t count) final {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_with(i % num_inputs()));
    }
  }

  [[nodiscard]] std::size_t bytes_min() const override { return 2 * output_.size() * sizeof(T); }

 protected:
  [[nodiscard]] std::size_t num_inputs() const { return inputs_.size() / output_.size(); }
  [[nodiscard]] std::span<T> input(std::size_t i = 0) const {
    return inputs_.elements().subspan(i * output_.size(), output_.size());
  }

  /// Calls once, with the first input, on a poisoned output; `oracle(input, check)` names the
  /// expected output in order.
  template <class Oracle>
  verdict verify_with(Oracle oracle) const {
    output_.poison_elements();
    const T* returned_end = call_with(0);
    output_check<T> check(output_);
    oracle(input(), check);
    return {check.mismatch(returned_end)};
  }

 private:
  [[nodiscard]] T* call_with(std::size_t i) const {
    const T* const first = inputs_.begin() + i * output_.size();
    return call_(first, first + output_.size(), output_.begin());
  }

  guarded_array<T> inputs_;  // the inputs in sequence
  guarded_array<T> output_;
  typename operations<T>::one_to_one call_;
};

}  // namespace weft::lab::stl
