// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem transform: 2x + 1 of each element into a second array.
#include "lab/harness/experiment.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/one_to_one.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace transform_problem {

template <class T>
class transform_experiment final : public one_to_one<T> {
 public:
  static constexpr auto needs = &operations<T>::transform;

  explicit transform_experiment(const setup<T>& given)
      : one_to_one<T>(given, given.offered.transform) {
    fill_wrapped_counting(this->input());
  }

  verdict verify() override {
    return this->verify_with([](const auto& input, auto& check) {
      for (const T element : input) {
        check.expect(T{2} * element + T{1});
      }
    });
  }
};

const registration transform(describe<transform_experiment>("transform"));

}  // namespace transform_problem
}  // namespace weft::lab::stl
