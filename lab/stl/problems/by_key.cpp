// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems with a value for each key: sort_by_key and reduce_by_key.
#include <algorithm>
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
namespace by_key_problem {

/// Returns the error in the keys, or else in their values.
verdict first_of(const std::string& in_keys, const std::string& in_values) {
  if (!in_keys.empty()) {
    return {"keys: " + in_keys};
  }
  return in_values.empty() ? verdict{} : verdict{"values: " + in_values};
}

/// A random permutation of 1, 2, ..., n. The value of key k is -k: values that were not moved, and
/// values that were sorted separately, are both wrong.
template <class T>
class sort_by_key_experiment final : public experiment {
 public:
  static constexpr auto needs = &operations<T>::sort_by_key;
  static constexpr auto scratch = &scratch_factors::by_key;
  static double array_bytes(double size) {
    return 3 * size * sizeof(T) + 2 * batch_input_bytes<T>(size);
  }

  explicit sort_by_key_experiment(const setup<T>& given)
      : size_(given.what.size),
        shuffled_(given.input(size_)),
        keys_(given.output(size_ * num_inputs<T>(size_))),
        values_(given.output(keys_.size())),
        call_(given.offered.sort_by_key),
        random_(given.what.seed) {
    shuffle_again();
  }

  /// Equal keys, such as rounded floats, have equal values.
  verdict verify() override {
    keys_.poison_elements();
    values_.poison_elements();
    prepare(1);
    call_with(0);
    output_check<T> check(keys_);
    output_check<T> check_values(values_);
    for (std::size_t i = 0; i < size_; ++i) {
      check.expect(static_cast<T>(i + 1));
      check_values.expect(-static_cast<T>(i + 1));
    }
    return first_of(check.mismatch(keys_.begin() + size_),
                    check_values.mismatch(values_.begin() + size_));
  }

  void prepare(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      std::copy(shuffled_.begin(), shuffled_.end(), keys_.begin() + i * size_);
      std::transform(shuffled_.begin(), shuffled_.end(), values_.begin() + i * size_, [](T key) {
        return -key;
      });
      if (may_be_learnt(size_)) {
        shuffle_again();
      }
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call_with(i);
      clobber();
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return keys_.size() / size_; }
  /// Keys and values are read and written.
  [[nodiscard]] std::size_t bytes_min() const override { return 4 * size_ * sizeof(T); }

 private:
  void shuffle_again() {
    fill_counting(shuffled_.elements());
    shuffle(shuffled_.elements(), random_);
  }

  void call_with(std::size_t input) const {
    T* const first = keys_.begin() + input * size_;
    call_(first, first + size_, values_.begin() + input * size_);
  }

  std::size_t size_;
  guarded_array<T> shuffled_;
  guarded_array<T> keys_;  // the inputs in sequence, as are their values
  guarded_array<T> values_;
  decltype(operations<T>::sort_by_key) call_;
  random_bits random_;
};

/// Ascending keys, each about twice, and values with exact sums in any grouping.
template <class T>
class reduce_by_key_experiment final : public experiment {
 public:
  static constexpr auto needs = &operations<T>::reduce_by_key;
  static constexpr auto scratch = &scratch_factors::by_key;
  static double array_bytes(double size) {
    return 4 * size * sizeof(T) + 2 * batch_input_bytes<T>(size);
  }

  explicit reduce_by_key_experiment(const setup<T>& given)
      : size_(given.what.size),
        num_inputs_(num_inputs<T>(size_)),
        keys_(given.input(size_ * num_inputs_)),
        values_(given.input(keys_.size())),
        keys_out_(given.output(size_)),
        sums_out_(given.output(size_)),
        call_(given.offered.reduce_by_key),
        seed_(given.what.seed) {
    fill_inputs(num_inputs_);
    for_each_run([this](T, T) { ++num_runs_; });
  }

  verdict verify() override {
    keys_out_.poison_elements();
    sums_out_.poison_elements();
    const two_ends<T> ends = call_with(0);
    output_check<T> check(keys_out_);
    output_check<T> check_sums(sums_out_);
    for_each_run([&](T key, T sum) {
      check.expect(key);
      check_sums.expect(sum);
    });
    return first_of(check.mismatch(ends.of_first), check_sums.mismatch(ends.of_second));
  }

  void prepare(std::size_t count) override {
    if (may_be_learnt(size_)) {
      fill_inputs(count);
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_with(i % num_inputs_));
    }
  }

  [[nodiscard]] std::size_t max_calls() const override {
    return may_be_learnt(size_) ? num_inputs_ : std::size_t{1} << 30U;
  }
  /// Bytes that are read, and bytes that are written for the first input.
  [[nodiscard]] std::size_t bytes_min() const override {
    return 2 * (size_ + num_runs_) * sizeof(T);
  }

 private:
  void fill_inputs(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fill_ascending(keys_.elements().subspan(i * size_, size_), seed_++);
      fill_exact_summands(values_.elements().subspan(i * size_, size_), seed_++);
    }
  }

  /// The definition: `write` gets the key and the sum of each run of the first input, in order.
  template <class Write>
  void for_each_run(Write write) const {
    for (std::size_t i = 0; i < size_;) {
      const T key = keys_[i];
      T sum{};
      for (; i < size_ && keys_[i] == key; ++i) {
        sum += values_[i];
      }
      write(key, sum);
    }
  }

  [[nodiscard]] two_ends<T> call_with(std::size_t input) const {
    const T* const first = keys_.begin() + input * size_;
    return call_(first,
                 first + size_,
                 values_.begin() + input * size_,
                 keys_out_.begin(),
                 sums_out_.begin());
  }

  std::size_t size_;
  std::size_t num_inputs_;
  guarded_array<T> keys_;  // the inputs in sequence, as are their values
  guarded_array<T> values_;
  guarded_array<T> keys_out_;
  guarded_array<T> sums_out_;
  decltype(operations<T>::reduce_by_key) call_;
  std::uint64_t seed_;
  std::size_t num_runs_ = 0;
};

const registration reduce_by_key(describe<reduce_by_key_experiment>("reduce_by_key"));
const registration sort_by_key(describe<sort_by_key_experiment>("sort_by_key"));

}  // namespace by_key_problem
}  // namespace weft::lab::stl
