// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem merge: two ascending halves with many repeated elements into a second array.
#include <cstddef>

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
  static double array_bytes(double size) { return 2 * size * sizeof(T); }

  explicit merge_experiment(const setup<T>& given)
      : left_(given.input(given.what.size / 2)),
        right_(given.input(given.what.size - given.what.size / 2)),
        output_(given.output(given.what.size)),
        call_(given.offered.merge) {
    fill_ascending(left_.elements(), given.what.seed);
    fill_ascending(right_.elements(), given.what.seed + 1);
  }

  verdict verify() override {
    output_.poison_elements();
    const T* returned_end = call_once();
    output_check<T> check(output_);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < left_.size() || j < right_.size()) {
      const bool takes_right = i == left_.size() || (j < right_.size() && right_[j] < left_[i]);
      check.expect(takes_right ? right_[j++] : left_[i++]);
    }
    return {check.mismatch(returned_end)};
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_once());
    }
  }

  [[nodiscard]] std::size_t bytes_min() const override { return 2 * output_.size() * sizeof(T); }

 private:
  [[nodiscard]] T* call_once() const {
    return call_(left_.begin(), left_.end(), right_.begin(), right_.end(), output_.begin());
  }

  guarded_array<T> left_;
  guarded_array<T> right_;
  guarded_array<T> output_;
  decltype(operations<T>::merge) call_;
};

const registration merge(describe<merge_experiment>("merge"));

}  // namespace
}  // namespace weft::lab::stl
