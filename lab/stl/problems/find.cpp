// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem find: random present elements of 1, 2, ..., n. Their positions are the same for every
// backend, and evenly spread for any number of calls.
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace find_problem {

// A power of two, so that the whole cycle is balanced too.
constexpr std::size_t num_positions = 4096;
// Calls in larger batches are so short that a branch predictor could memorise their order.
constexpr std::size_t num_neighbours = 64;

template <class T>
class find_experiment final : public repeatable_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::find;
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) { return size * sizeof(T) + num_positions * sizeof(T); }

  explicit find_experiment(const setup<T>& given)
      : input_(given.input(given.what.size)), call_(given.offered.find), random_(given.what.seed) {
    fill_counting(input_.elements());
    std::size_t elements_read = 0;
    for (const auto i : balanced_positions(input_.size(), num_positions, given.what.seed)) {
      values_.push_back(input_[i]);
      elements_read += first_equal(i) + 1;
    }
    bytes_min_ = elements_read * sizeof(T) / num_positions;
  }

  verdict verify() override {
    const std::size_t last = input_.size() - 1;
    const std::array<std::size_t, 5> positions{0, last / 3, last / 2, last - last / 3, last};
    std::string mismatch = mismatch_of(T{}, input_.size());  // 0 is absent
    for (const std::size_t i : positions) {
      if (mismatch.empty()) {
        mismatch = mismatch_of(input_[i], first_equal(i));
      }
      if (mismatch.empty()) {
        mismatch = mismatch_with_repetitions(i);
      }
    }
    return {mismatch};
  }

  /// Shuffles groups of neighbours, so that each group stays as evenly spread as before.
  void prepare(std::size_t count) override {
    if (count < num_neighbours) {
      return;
    }
    next_ = 0;
    for (std::size_t first = 0; first < count; first += num_neighbours) {
      shuffle(std::span(values_).subspan(first, num_neighbours), random_);
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return num_positions; }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_(input_.begin(), input_.end(), values_[next_]));
      next_ = (next_ + 1) % num_positions;
    }
  }

  /// The average over the searched positions.
  [[nodiscard]] std::size_t bytes_min() const override { return bytes_min_; }

 private:
  /// The input ascends, so elements equal to element i are its neighbours (several only if float
  /// rounds).
  [[nodiscard]] std::size_t first_equal(std::size_t i) const {
    while (i > 0 && input_[i - 1] == input_[i]) {
      --i;
    }
    return i;
  }

  [[nodiscard]] std::string mismatch_of(T value, std::size_t expected) const {
    const T* found = call_(input_.begin(), input_.end(), value);
    if (found == input_.begin() + expected) {
      return {};
    }
    return "looking for " + text_of(value) + " found position " + text_of(found - input_.begin()) +
           ", expected " + text_of(expected);
  }

  /// Copies the element at i to the places after it at steps of a fifth of the array, and to the last
  /// place.
  [[nodiscard]] std::string mismatch_with_repetitions(std::size_t i) const {
    const T value = input_[i];
    const std::size_t step = input_.size() / 5 + 1;
    std::vector<std::size_t> repetitions{input_.size() - 1};
    for (std::size_t j = i + step; j < input_.size(); j += step) {
      repetitions.push_back(j);
    }
    const std::size_t expected = first_equal(i);
    for (const std::size_t j : repetitions) {
      input_[j] = value;
    }
    std::string mismatch = mismatch_of(value, expected);
    for (const std::size_t j : repetitions) {
      input_[j] = static_cast<T>(j + 1);
    }
    return mismatch;
  }

  guarded_array<T> input_;
  const T* (*call_)(const T* first, const T* last, T value);
  std::vector<T> values_;
  std::size_t bytes_min_ = 0;
  random_bits random_;
  std::size_t next_ = 0;
};

const registration find(describe<find_experiment>("find"));

}  // namespace find_problem
}  // namespace weft::lab::stl
