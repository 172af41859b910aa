// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems that read one array and write another, except those with their own file.
#include "lab/stl/one_to_one.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/expected_elements.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"
#include "lab/stl/row.hpp"

namespace weft::lab::stl {
namespace one_to_one_problem {

/// `has_fresh_input`: short calls get different inputs, since the algorithm branches on the
/// elements.
template <class T>
struct one_to_one_row : row<T, typename operations<T>::one_to_one> {
  filling<T> fill = nullptr;
  /// Names the expected elements in order.
  void (*oracle)(std::span<const T> input, output_check<T>& check) = nullptr;
  bool has_fresh_input = false;
};

template <class T>
class one_to_one_experiment final : public one_to_one<T> {
 public:
  static const std::vector<one_to_one_row<T>>& rows();
  static double array_bytes(double size) {
    return one_to_one<T>::array_bytes(size) + batch_input_bytes<T>(size);
  }

  one_to_one_experiment(const setup<T>& given, const one_to_one_row<T>& of)
      : one_to_one<T>(given,
                      given.offered.*of.needs,
                      of.has_fresh_input ? num_inputs<T>(given.what.size) : 1),
        row_(of),
        seed_(given.what.seed) {
    fill_inputs(this->num_inputs());
  }

  void prepare(std::size_t count) override {
    if (is_fresh()) {
      fill_inputs(count);
    }
  }

  [[nodiscard]] std::size_t max_calls() const override {
    return is_fresh() ? this->num_inputs() : one_to_one<T>::max_calls();
  }

  verdict verify() override {
    return this->verify_with(
        [this](std::span<const T> input, output_check<T>& check) { row_.oracle(input, check); });
  }

  [[nodiscard]] std::size_t bytes_min() const override {
    return static_cast<std::size_t>(row_.traffic *
                                    static_cast<double>(this->input().size() * sizeof(T)));
  }

 private:
  [[nodiscard]] bool is_fresh() const {
    return row_.has_fresh_input && may_be_learnt(this->input().size());
  }

  void fill_inputs(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      row_.fill(this->input(i), seed_++);
    }
  }

  const one_to_one_row<T>& row_;
  std::uint64_t seed_;
};

template <class T>
void wrapped_counting(std::span<T> elements, std::uint64_t /*seed*/) {
  fill_wrapped_counting(elements);
}

template <class T>
void is_difference(std::span<const T> input, output_check<T>& check) {
  check.expect(input[0]);
  for (std::size_t i = 1; i < input.size(); ++i) {
    check.expect(input[i] - input[i - 1]);
  }
}

/// The sums are exact in any grouping, see `fill_exact_summands`.
template <class T>
void is_sum_before(std::span<const T> input, output_check<T>& check) {
  T sum = kernels::start<T>;
  for (const T element : input) {
    check.expect(sum);
    sum += element;
  }
}

template <class T>
void is_negative_sum_before(std::span<const T> input, output_check<T>& check) {
  T sum = kernels::start<T>;
  for (const T element : input) {
    check.expect(sum);
    sum -= element;
  }
}

template <class T>
void is_negative_sum(std::span<const T> input, output_check<T>& check) {
  T sum{};
  for (const T element : input) {
    sum -= element;
    check.expect(sum);
  }
}

template <class T>
void is_smallest(std::span<const T> input, output_check<T>& check) {
  std::vector<T> elements(input.begin(), input.end());
  std::sort(elements.begin(), elements.end());
  expect_all(std::span<const T>(elements).first(kernels::num_smallest(input.size())), check);
}

template <class T>
void is_without_unwanted(std::span<const T> input, output_check<T>& check) {
  for (const T element : input) {
    if (element != kernels::unwanted<T>) {
      check.expect(element);
    }
  }
}

template <class T>
void is_without_selected(std::span<const T> input, output_check<T>& check) {
  for (const T element : input) {
    if (!(element < T{})) {
      check.expect(element);
    }
  }
}

template <class T>
void is_without_repetitions(std::span<const T> input, output_check<T>& check) {
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (i == 0 || input[i] != input[i - 1]) {
      check.expect(input[i]);
    }
  }
}

template <class T>
void is_rotated(std::span<const T> input, output_check<T>& check) {
  const std::size_t middle = kernels::rotated(input.size());
  expect_all(input.subspan(middle), check);
  expect_all(input.first(middle), check);
}

template <class T>
const std::vector<one_to_one_row<T>>& one_to_one_experiment<T>::rows() {
  using of = operations<T>;
  constexpr auto any = wrapped_counting<T>;
  constexpr auto sort = &scratch_factors::sort;
  constexpr auto copy_if = &scratch_factors::copy_if;
  static const std::vector<one_to_one_row<T>> all{
      {{"adjacent_difference", &of::adjacent_difference, 2.0}, fill_exact_summands, is_difference},
      {{"copy_n", &of::copy_n, 2.0}, any, expect_all},
      {{"exclusive_scan", &of::exclusive_scan, 2.0}, fill_exact_summands, is_sum_before},
      {{"move", &of::move, 2.0}, any, expect_all},
      {{"partial_sort_copy", &of::partial_sort_copy, 1.125, sort},
       fill_shuffled,
       is_smallest,
       true},
      {{"remove_copy", &of::remove_copy, 1.875, copy_if},
       fill_exact_summands,
       is_without_unwanted,
       true},
      {{"remove_copy_if", &of::remove_copy_if, 1.5, copy_if},
       fill_signed_counting,
       is_without_selected,
       true},
      {{"replace_copy", &of::replace_copy, 2.0}, fill_exact_summands, is_replaced, true},
      {{"replace_copy_if", &of::replace_copy_if, 2.0}, fill_exact_summands, is_replaced, true},
      {{"reverse_copy", &of::reverse_copy, 2.0}, any, is_reversed},
      {{"rotate_copy", &of::rotate_copy, 2.0}, any, is_rotated},
      {{"transform_exclusive_scan", &of::transform_exclusive_scan, 2.0},
       fill_exact_summands,
       is_negative_sum_before},
      {{"transform_inclusive_scan", &of::transform_inclusive_scan, 2.0},
       fill_exact_summands,
       is_negative_sum},
      {{"uninitialized_copy", &of::uninitialized_copy, 2.0}, any, expect_all},
      {{"uninitialized_copy_n", &of::uninitialized_copy_n, 2.0}, any, expect_all},
      {{"uninitialized_move", &of::uninitialized_move, 2.0}, any, expect_all},
      {{"uninitialized_move_n", &of::uninitialized_move_n, 2.0}, any, expect_all},
      {{"unique_copy", &of::unique_copy, 1.5, copy_if},
       fill_ascending,
       is_without_repetitions,
       true},
      {{"walked_scan", &of::walked_scan, 2.0}, fill_exact_summands, is_negative_sum}};
  return all;
}

const row_registration<one_to_one_experiment> rows;

}  // namespace one_to_one_problem
}  // namespace weft::lab::stl
