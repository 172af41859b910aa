// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems that combine two ascending halves with many repeated elements: merge and the set
// operations.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"
#include "lab/stl/row.hpp"

namespace weft::lab::stl {
namespace two_to_one_problem {

/// Returns how often the output has an element that one input has `in_left` times and the other
/// `in_right` times.
using times = std::size_t (*)(std::size_t in_left, std::size_t in_right);

template <class T>
struct two_to_one_row : row<T, typename operations<T>::two_to_one> {
  times num_written = nullptr;
};

template <class T>
class two_to_one_experiment final : public experiment {
 public:
  static const std::vector<two_to_one_row<T>>& rows();
  static double array_bytes(double size) {
    return 2 * size * sizeof(T) + batch_input_bytes<T>(size);
  }

  two_to_one_experiment(const setup<T>& given, const two_to_one_row<T>& of)
      : row_(of),
        num_inputs_(num_inputs<T>(given.what.size)),
        left_size_(given.what.size / 2),
        right_size_(given.what.size - left_size_),
        left_(given.input(left_size_ * num_inputs_)),
        right_(given.input(right_size_ * num_inputs_)),
        output_(given.output(given.what.size)),
        call_(given.offered.*of.needs),
        seed_(given.what.seed) {
    fill_inputs(num_inputs_);
    for_each_written([this](T) { ++num_written_; });
  }

  verdict verify() override {
    output_.poison_elements();
    const T* returned_end = call_with(0);
    output_check<T> check(output_);
    for_each_written([&check](T element) { check.expect(element); });
    return {check.mismatch(returned_end)};
  }

  void prepare(std::size_t count) override {
    if (may_be_learnt(output_.size())) {
      fill_inputs(count);
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_with(i % num_inputs_));
    }
  }

  [[nodiscard]] std::size_t max_calls() const override {
    return may_be_learnt(output_.size()) ? num_inputs_ : std::size_t{1} << 30U;
  }

  /// Bytes that are read, and bytes that are written for the first input.
  [[nodiscard]] std::size_t bytes_min() const override {
    return (output_.size() + num_written_) * sizeof(T);
  }

 private:
  void fill_inputs(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fill_ascending(left_.elements().subspan(i * left_size_, left_size_), seed_++);
      fill_ascending(right_.elements().subspan(i * right_size_, right_size_), seed_++);
    }
  }

  /// The definition of all these algorithms: `write` gets every element of the output, in order.
  template <class Write>
  void for_each_written(Write write) const {
    std::size_t i = 0;
    std::size_t j = 0;
    const auto num_equal =
        [](const guarded_array<T>& from, std::size_t& at, std::size_t size, T to) {
          const std::size_t first = at;
          while (at < size && from[at] == to) {
            ++at;
          }
          return at - first;
        };
    while (i < left_size_ || j < right_size_) {
      const bool is_right = i == left_size_ || (j < right_size_ && right_[j] < left_[i]);
      const T element = is_right ? right_[j] : left_[i];
      const std::size_t in_left = num_equal(left_, i, left_size_, element);
      const std::size_t in_right = num_equal(right_, j, right_size_, element);
      for (std::size_t k = row_.num_written(in_left, in_right); k > 0; --k) {
        write(element);
      }
    }
  }

  [[nodiscard]] T* call_with(std::size_t input) const {
    const T* const left = left_.begin() + input * left_size_;
    const T* const right = right_.begin() + input * right_size_;
    return call_(left, left + left_size_, right, right + right_size_, output_.begin());
  }

  const two_to_one_row<T>& row_;
  std::size_t num_inputs_;
  std::size_t left_size_;
  std::size_t right_size_;
  guarded_array<T> left_;
  guarded_array<T> right_;
  guarded_array<T> output_;
  typename operations<T>::two_to_one call_;
  std::uint64_t seed_;
  std::size_t num_written_ = 0;
};

template <class T>
const std::vector<two_to_one_row<T>>& two_to_one_experiment<T>::rows() {
  using of = operations<T>;
  constexpr auto sort = &scratch_factors::sort;
  static const std::vector<two_to_one_row<T>> all{
      {{"merge", &of::merge}, [](std::size_t a, std::size_t b) { return a + b; }},
      {{"set_difference", &of::set_difference, 1.0, sort},
       [](std::size_t a, std::size_t b) { return a > b ? a - b : 0; }},
      {{"set_intersection", &of::set_intersection, 1.0, sort},
       [](std::size_t a, std::size_t b) { return std::min(a, b); }},
      {{"set_symmetric_difference", &of::set_symmetric_difference, 1.0, sort},
       [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }},
      {{"set_union", &of::set_union, 1.0, sort},
       [](std::size_t a, std::size_t b) { return std::max(a, b); }}};
  return all;
}

const row_registration<two_to_one_experiment> rows;

}  // namespace two_to_one_problem
}  // namespace weft::lab::stl
