// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem copy: 1, 2, ..., n into a second array.
#include "lab/harness/experiment.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/one_to_one.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace copy_problem {

template <class T>
class copy_experiment final : public one_to_one<T> {
 public:
  static constexpr auto needs = &operations<T>::copy;

  explicit copy_experiment(const setup<T>& given) : one_to_one<T>(given, given.offered.copy) {
    fill_counting(this->input());
  }

  verdict verify() override {
    return this->verify_with([](const auto& input, auto& check) {
      for (const T element : input) {
        check.expect(element);
      }
    });
  }
};

const registration copy(describe<copy_experiment>("copy"));

}  // namespace copy_problem
}  // namespace weft::lab::stl
