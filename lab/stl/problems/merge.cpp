// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem merge: two ascending halves with many repeated elements into a second array.
#include <cstddef>
#include <cstdint>

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

template <class T>
class merge_experiment final : public repeatable_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::merge;
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) { return 2 * size * sizeof(T) + batch_bytes; }

  explicit merge_experiment(const setup<T>& given)
      : num_inputs_(num_inputs<T>(given.what.size)),
        left_size_(given.what.size / 2),
        right_size_(given.what.size - left_size_),
        left_(given.input(left_size_ * num_inputs_)),
        right_(given.input(right_size_ * num_inputs_)),
        output_(given.output(given.what.size)),
        call_(given.offered.merge),
        seed_(given.what.seed) {
    fill_inputs(num_inputs_);
  }

  verdict verify() override {
    output_.poison_elements();
    const T* returned_end = call_with(0);
    output_check<T> check(output_);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < left_size_ || j < right_size_) {
      const bool takes_right = i == left_size_ || (j < right_size_ && right_[j] < left_[i]);
      check.expect(takes_right ? right_[j++] : left_[i++]);
    }
    return {check.mismatch(returned_end)};
  }

  void prepare(std::size_t count) override {
    if (num_inputs_ > 1) {
      fill_inputs(count);
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_with(i % num_inputs_));
    }
  }

  [[nodiscard]] std::size_t max_calls() const override {
    return num_inputs_ > 1 ? num_inputs_ : repeatable_experiment<T>::max_calls();
  }

  [[nodiscard]] std::size_t bytes_min() const override { return 2 * output_.size() * sizeof(T); }

 private:
  void fill_inputs(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fill_ascending(left_.elements().subspan(i * left_size_, left_size_), seed_++);
      fill_ascending(right_.elements().subspan(i * right_size_, right_size_), seed_++);
    }
  }

  [[nodiscard]] T* call_with(std::size_t input) const {
    const T* const left = left_.begin() + input * left_size_;
    const T* const right = right_.begin() + input * right_size_;
    return call_(left, left + left_size_, right, right + right_size_, output_.begin());
  }

  std::size_t num_inputs_;
  std::size_t left_size_;
  std::size_t right_size_;
  guarded_array<T> left_;
  guarded_array<T> right_;
  guarded_array<T> output_;
  decltype(operations<T>::merge) call_;
  std::uint64_t seed_;
};

const registration merge(describe<merge_experiment>("merge"));

}  // namespace
}  // namespace weft::lab::stl
