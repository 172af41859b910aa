// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem inclusive_scan: running sums of 1, 2, ..., n (double), or of exact summands (int, float,
// where 1 + ... + n overflows or rounds).
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lab/harness/experiment.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/one_to_one.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/problem.hpp"
#include "lab/stl/sums.hpp"

namespace weft::lab::stl {
namespace inclusive_scan_problem {

template <class T>
class inclusive_scan_experiment final : public one_to_one<T> {
 public:
  static constexpr auto needs = &operations<T>::inclusive_scan;

  explicit inclusive_scan_experiment(const setup<T>& given)
      : one_to_one<T>(given, given.offered.inclusive_scan), seed_(given.what.seed) {}

  verdict verify() override {
    fill_exact_summands(this->input(), seed_);
    verdict exact = this->verify_with([](const auto& input, auto& check) {
      T sum{};
      for (const T element : input) {
        sum += element;
        check.expect(sum);
      }
    });
    if (!exact.is_right() || !std::is_same_v<T, double>) {
      return exact;
    }
    return verify_counting_sums();
  }

 private:
  verdict verify_counting_sums() {
    fill_counting(this->input());
    return this->verify_with([](const auto& input, auto& check) {
      for (std::size_t size = 1; size <= input.size(); ++size) {
        check.expect_near(counting_sum(size), counting_sum_tolerance<T>(size));
      }
    });
  }

  std::uint64_t seed_;
};

const registration inclusive_scan(describe<inclusive_scan_experiment>("inclusive_scan"));

}  // namespace inclusive_scan_problem
}  // namespace weft::lab::stl
