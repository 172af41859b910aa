// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem copy_if: the negative elements of +-1, +-2, ..., +-n (random signs), in order.
#include <cstddef>
#include <cstdint>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/one_to_one.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace copy_if_problem {

template <class T>
class copy_if_experiment final : public one_to_one<T> {
 public:
  static constexpr auto needs = &operations<T>::copy_if;
  static constexpr auto scratch = &scratch_factors::copy_if;

  static double array_bytes(double size) {
    return one_to_one<T>::array_bytes(size) + batch_input_bytes<T>(size);
  }

  explicit copy_if_experiment(const setup<T>& given)
      : one_to_one<T>(given, given.offered.copy_if, num_inputs<T>(given.what.size)),
        seed_(given.what.seed) {
    fill_inputs(this->num_inputs());
    std::size_t num_selected = 0;
    for (std::size_t i = 0; i < this->num_inputs(); ++i) {
      for (const T element : this->input(i)) {
        num_selected += element < T{} ? 1U : 0U;
      }
    }
    mean_selected_ = num_selected / this->num_inputs();
  }

  void prepare(std::size_t count) override {
    if (may_be_learnt(this->input().size())) {
      fill_inputs(count);
    }
  }

  [[nodiscard]] std::size_t max_calls() const override {
    return may_be_learnt(this->input().size()) ? this->num_inputs() : one_to_one<T>::max_calls();
  }

  verdict verify() override {
    return this->verify_with([](const auto& input, auto& check) {
      for (const T element : input) {
        if (element < T{}) {
          check.expect(element);
        }
      }
    });
  }

  /// The average over the inputs.
  [[nodiscard]] std::size_t bytes_min() const override {
    return (this->input().size() + mean_selected_) * sizeof(T);
  }

 private:
  void fill_inputs(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fill_signed_counting(this->input(i), seed_++);
    }
  }

  std::uint64_t seed_;
  std::size_t mean_selected_ = 0;
};

const registration copy_if(describe<copy_if_experiment>("copy_if"));

}  // namespace copy_if_problem
}  // namespace weft::lab::stl
