// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems for_each and for_each_n: count to `k_it` in each element (paper Listing 1).
#include <array>
#include <cstddef>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {
namespace for_each_problem {

// Float counts in steps of one only up to 2^24.
constexpr std::array<parameter, 1> for_each_parameters{
    {{.name = "k_it", .minimum = 1, .maximum = 1 << 24, .default_value = 1}}};

template <class T>
class loop_experiment : public repeatable_experiment<T> {
 public:
  static constexpr auto scratch = &scratch_factors::others;
  static double array_bytes(double size) { return size * sizeof(T); }

  loop_experiment(const setup<T>& given, typename operations<T>::loop call)
      : elements_(given.output(given.what.size)), call_(call) {
    const auto chosen = given.what.params.find("k_it");
    const bool is_chosen = chosen != given.what.params.end();
    k_it_ = static_cast<std::size_t>(is_chosen ? chosen->second
                                               : for_each_parameters.front().default_value);
    fill_counting(elements_.elements());
  }

  verdict verify() override {
    elements_.poison_elements();
    call_(elements_.begin(), elements_.end(), k_it_);
    output_check<T> check(elements_);
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      check.expect(static_cast<T>(k_it_));
    }
    fill_counting(elements_.elements());
    return {check.mismatch(elements_.end())};
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call_(elements_.begin(), elements_.end(), k_it_);
      clobber();
    }
  }

  /// The kernel stores and never loads.
  [[nodiscard]] std::size_t bytes_min() const override { return elements_.size() * sizeof(T); }

 private:
  guarded_array<T> elements_;
  typename operations<T>::loop call_;
  std::size_t k_it_ = 1;
};

template <class T>
class for_each_experiment final : public loop_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::for_each;
  explicit for_each_experiment(const setup<T>& given)
      : loop_experiment<T>(given, given.offered.for_each) {}
};

template <class T>
class for_each_n_experiment final : public loop_experiment<T> {
 public:
  static constexpr auto needs = &operations<T>::for_each_n;
  explicit for_each_n_experiment(const setup<T>& given)
      : loop_experiment<T>(given, given.offered.for_each_n) {}
};

const registration for_each(describe<for_each_experiment>("for_each", for_each_parameters));
const registration for_each_n(describe<for_each_n_experiment>("for_each_n", for_each_parameters));

}  // namespace for_each_problem
}  // namespace weft::lab::stl
