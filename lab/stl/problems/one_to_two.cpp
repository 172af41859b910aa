// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems that write two arrays: partition_copy and swap_ranges.
#include <cstddef>
#include <cstdint>
#include <string>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace one_to_two_problem {

verdict first_of(const std::string& what, const std::string& mismatch, const verdict& other) {
  return mismatch.empty() ? other : verdict{what + mismatch};
}

/// The negative elements of +-1, ..., +-n (random signs) into one array, the others into another.
template <class T>
class partition_copy_experiment final : public experiment {
 public:
  static constexpr auto needs = &operations<T>::partition_copy;
  static constexpr auto scratch = &scratch_factors::copy_if;
  static double array_bytes(double size) {
    return 3 * size * sizeof(T) + batch_input_bytes<T>(size);
  }

  explicit partition_copy_experiment(const setup<T>& given)
      : size_(given.what.size),
        inputs_(given.input(size_ * num_inputs<T>(size_))),
        selected_(given.output(size_)),
        others_(given.output(size_)),
        call_(given.offered.partition_copy),
        seed_(given.what.seed) {
    fill_inputs(max_calls());
  }

  verdict verify() override {
    selected_.poison_elements();
    others_.poison_elements();
    const two_ends<T> ends = call_with(0);
    output_check<T> check(selected_);
    output_check<T> check_others(others_);
    for (std::size_t i = 0; i < size_; ++i) {
      (inputs_[i] < T{} ? check : check_others).expect(inputs_[i]);
    }
    return first_of("selected: ",
                    check.mismatch(ends.of_first),
                    first_of("others: ", check_others.mismatch(ends.of_second), {}));
  }

  void prepare(std::size_t count) override {
    if (may_be_learnt(size_)) {
      fill_inputs(count);
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_with(i));
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return inputs_.size() / size_; }
  [[nodiscard]] std::size_t bytes_min() const override { return 2 * size_ * sizeof(T); }

 private:
  void fill_inputs(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fill_signed_counting(inputs_.elements().subspan(i * size_, size_), seed_++);
    }
  }

  [[nodiscard]] two_ends<T> call_with(std::size_t input) const {
    const T* const first = inputs_.begin() + input * size_;
    return call_(first, first + size_, selected_.begin(), others_.begin());
  }

  std::size_t size_;
  guarded_array<T> inputs_;
  guarded_array<T> selected_;
  guarded_array<T> others_;
  decltype(operations<T>::partition_copy) call_;
  std::uint64_t seed_;
};

/// 1, 2, ..., n against 0, -1, -2, ...
template <class T>
class swap_ranges_experiment final : public repeatable_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::swap_ranges;
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) { return 2 * size * sizeof(T); }

  explicit swap_ranges_experiment(const setup<T>& given)
      : left_(given.output(given.what.size)),
        right_(given.output(given.what.size)),
        call_(given.offered.swap_ranges) {
    fill();
  }

  verdict verify() override {
    fill();
    const T* const returned_end = call_(left_.begin(), left_.end(), right_.begin());
    output_check<T> check(left_);
    output_check<T> check_right(right_);
    for (std::size_t i = 0; i < left_.size(); ++i) {
      check.expect(from_right(i));
      check_right.expect(static_cast<T>(i + 1));
    }
    return first_of("left: ",
                    check.mismatch(left_.end()),
                    first_of("right: ", check_right.mismatch(returned_end), {}));
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_(left_.begin(), left_.end(), right_.begin()));
    }
  }

  [[nodiscard]] std::size_t bytes_min() const override { return 4 * left_.size() * sizeof(T); }

 private:
  static T from_right(std::size_t i) { return i == 0 ? T{} : -static_cast<T>(i); }

  void fill() const {
    for (std::size_t i = 0; i < left_.size(); ++i) {
      left_[i] = static_cast<T>(i + 1);
      right_[i] = from_right(i);
    }
  }

  guarded_array<T> left_;
  guarded_array<T> right_;
  decltype(operations<T>::swap_ranges) call_;
};

const registration partition_copy(describe<partition_copy_experiment>("partition_copy"));
const registration swap_ranges(describe<swap_ranges_experiment>("swap_ranges"));

}  // namespace one_to_two_problem
}  // namespace weft::lab::stl
