// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem copy_if: the negative elements of +-1, +-2, ..., +-n (random signs), in order.
#include <cstddef>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/one_to_one.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace {

template <class T>
class copy_if_experiment final : public one_to_one<T> {
 public:
  static constexpr auto needs = &operations<T>::copy_if;
  static constexpr auto scratch = &scratch_factors::copy_if;

  explicit copy_if_experiment(const setup<T>& given) : one_to_one<T>(given, given.offered.copy_if) {
    fill_signed_counting(this->input().elements(), given.what.seed);
    for (const T element : this->input()) {
      num_selected_ += element < T{} ? 1U : 0U;
    }
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

  [[nodiscard]] std::size_t bytes_min() const override {
    return (this->input().size() + num_selected_) * sizeof(T);
  }

 private:
  std::size_t num_selected_ = 0;
};

const registration copy_if(describe<copy_if_experiment>("copy_if"));

}  // namespace
}  // namespace weft::lab::stl
